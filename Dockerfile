# The web page for a team: docker build -t howsure . && docker run -p 8000:8000 -v howsure:/data -e HOWSURE_TOKEN=… howsure
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels

FROM python:3.12-slim
COPY --from=build /wheels /wheels
COPY constraints.txt /constraints.txt
RUN pip install --no-cache-dir -c /constraints.txt "$(ls /wheels/*.whl)[web]" && useradd --create-home howsure && install -d -o howsure /data
USER howsure
WORKDIR /data
EXPOSE 8000
# A server that others can reach needs a token.
CMD ["sh", "-c", "exec howsure serve --host 0.0.0.0 --port 8000 --folder /data/server --token \"${HOWSURE_TOKEN:?set HOWSURE_TOKEN}\""]
