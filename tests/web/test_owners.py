"""Who may change what: the session that made it, or the server's token; a link is for reading."""

import pytest
from starlette.testclient import TestClient

from howsure.web import Settings, create_app
from howsure.web.asking import MOST_QUEUES

HERE = "http://127.0.0.1:8765"
TOKEN = "a token of some length"
POWER = {"sd": 1.0, "effect": 0.2, "target_power": 0.8}
TABLE = b"item,source,value\n" + b"".join(b"i%d,%s,%d\n" % (i, s, i % 3) for i in range(9) for s in (b"human", b"m1"))

JOBS = {
    "cancel": ("POST", "/api/v1/jobs/{}/cancel", "/history/{}/cancel"),
    "resume": ("POST", "/api/v1/jobs/{}/resume", "/history/{}/resume"),
    "rename": ("", "", "/history/{}/rename"),
    "delete": ("DELETE", "/api/v1/jobs/{}", "/history/{}/delete"),
}
TABLES = {
    "correct": ("", "", "/tables/{}/correct"),
    "delete": ("DELETE", "/api/v1/tables/{}", "/tables/{}/delete"),
}
OF_API = [
    (what, change) for what, routes in (("job", JOBS), ("table", TABLES)) for change in routes if routes[change][0]
]
OF_PAGES = [(what, change) for what, routes in (("job", JOBS), ("table", TABLES)) for change in routes]


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    """A server without a token and one with a token; neither has workers, so jobs wait."""
    made = {}
    for token in ("", TOKEN):
        settings = Settings(folder=str(tmp_path_factory.mktemp("owned")), token=token or None, max_jobs=1000)
        made[token] = TestClient(create_app(settings), base_url=HERE, follow_redirects=False)
    yield made
    for client in made.values():
        client.app.state.uploads.reader.stop()


class Visitor:
    """A client with the cookies of one visitor, or with none."""

    def __init__(self, server, *, session=True, token="", entered=False):
        self.server, self.cookies = server, {}
        self.headers = {"authorization": f"Bearer {token}"} if token else {}
        if entered:
            self.send("POST", "/enter", data={"token": TOKEN})
        if session:
            self.send("GET", "/")

    def send(self, method, path, **how):
        self.server.cookies.clear()
        self.server.cookies.update(self.cookies)
        answer = self.server.request(method, path, headers=self.headers, **how)
        self.cookies = dict(self.server.cookies)
        self.server.cookies.clear()
        return answer

    def form(self, path, **fields):
        csrf = self.send("GET", "/tables").text.partition('name="csrf" value="')[2][:64]
        return self.send("POST", path, data={"csrf": csrf, **fields})

    def makes(self, what):
        if what == "job":
            found = self.server.app.state.jobs.add(self.cookies["howsure_session"], "power", POWER).identity
            return found
        return self.send("POST", "/api/v1/tables", files={"file": ("r.csv", TABLE)}).json()["table"]


def state(server, what, identity):
    """Return everything that a change could touch."""
    app = server.app.state
    if what == "job":
        return app.jobs.get(identity)
    return app.uploads.get(identity, None)


def routes(what, change):
    return (JOBS if what == "job" else TABLES)[change]


def prepared(server, owner, what, change):
    """Return a thing of the owner in a state that the change would change."""
    identity = owner.makes(what)
    if what == "job":  # asked again, the same question is the same job
        jobs = server.app.state.jobs
        jobs.rename(identity, "before")
        (jobs.cancel if change == "resume" else jobs.resume)(identity)
    return identity


def requested(visitor, what, change, identity, *, page):
    method, of_api, of_page = routes(what, change)
    if page:
        fields = {"rename": {"title": "after"}, "correct": {"scale": "nominal"}}.get(change, {})
        return visitor.form(of_page.format(identity), **fields)
    return visitor.send(method, of_api.format(identity))


NOBODY = "0" * 32


@pytest.mark.parametrize(("what", "change"), OF_API)
@pytest.mark.parametrize("who", ["no cookie", "another's cookie"])
def test_a_link_changes_nothing(servers, what, change, who):
    server = servers[""]
    identity = prepared(server, Visitor(server), what, change)
    before = state(server, what, identity)
    stranger = Visitor(server, session=who == "another's cookie")
    refused = requested(stranger, what, change, identity, page=False)
    assert refused.status_code == 404
    assert refused.text == requested(stranger, what, change, NOBODY, page=False).text
    assert state(server, what, identity) == before


@pytest.mark.parametrize(("what", "change"), OF_PAGES)
def test_a_form_of_another_visitor_changes_nothing(servers, what, change):
    server = servers[""]
    identity = prepared(server, Visitor(server), what, change)
    before = state(server, what, identity)
    stranger = Visitor(server)
    refused = requested(stranger, what, change, identity, page=True)
    assert refused.status_code == 404
    assert refused.text == requested(stranger, what, change, NOBODY, page=True).text
    assert state(server, what, identity) == before


@pytest.mark.parametrize(("what", "change"), OF_PAGES)
@pytest.mark.parametrize("who", ["no cookie", "owner"])
def test_a_form_without_its_mark_changes_nothing_for_anybody(servers, what, change, who):
    server = servers[""]
    owner = Visitor(server)
    identity = prepared(server, owner, what, change)
    before = state(server, what, identity)
    visitor = owner if who == "owner" else Visitor(server, session=False)
    refused = visitor.send("POST", routes(what, change)[2].format(identity), data={"title": "after"})
    assert refused.status_code == 422
    assert "has expired" in refused.text
    assert state(server, what, identity) == before


@pytest.mark.parametrize(("what", "change"), OF_API)
@pytest.mark.parametrize("who", ["owner", "token", "token and another's cookie"])
def test_the_owner_and_the_token_may_change(servers, what, change, who):
    server = servers["" if who == "owner" else TOKEN]
    owner = Visitor(server, token="" if who == "owner" else TOKEN)
    identity = prepared(server, owner, what, change)
    before = state(server, what, identity)
    visitor = owner if who == "owner" else Visitor(server, token=TOKEN, session=who != "token")
    answer = requested(visitor, what, change, identity, page=False)
    assert answer.status_code == 200, answer.text
    assert state(server, what, identity) != before


@pytest.mark.parametrize(("what", "change"), OF_PAGES)
@pytest.mark.parametrize("who", ["owner", "token"])
def test_forms_of_the_owner_and_with_the_token_change(servers, what, change, who):
    server = servers["" if who == "owner" else TOKEN]
    owner = Visitor(server, token="" if who == "owner" else TOKEN)
    identity = prepared(server, owner, what, change)
    before = state(server, what, identity)
    visitor = owner if who == "owner" else Visitor(server, token=TOKEN)
    answer = requested(visitor, what, change, identity, page=True)
    assert answer.status_code == 303, answer.text
    assert state(server, what, identity) != before


@pytest.mark.parametrize(("what", "change"), OF_API)
def test_having_entered_the_token_is_no_right_to_what_others_made(servers, what, change):
    server = servers[TOKEN]
    identity = prepared(server, Visitor(server, entered=True), what, change)
    before = state(server, what, identity)
    refused = requested(Visitor(server, entered=True), what, change, identity, page=False)
    assert refused.status_code == 404
    assert state(server, what, identity) == before


def test_who_has_a_link_reads(servers):
    server = servers[""]
    owner = Visitor(server)
    for what, path in (("job", "/api/v1/jobs/{}"), ("table", "/api/v1/tables/{}")):
        identity = owner.makes(what)
        assert Visitor(server, session=False).send("GET", path.format(identity)).status_code == 200


def test_a_script_keeps_the_cookie_of_its_first_answer(servers):
    script = Visitor(servers[""], session=False)
    table = script.makes("table")
    assert list(script.cookies) == ["howsure_session"]
    assert script.send("DELETE", f"/api/v1/tables/{table}").json() == {"deleted": table}


@pytest.fixture
def narrow(tmp_path):
    """A server without workers that takes three jobs of a visitor."""
    client = TestClient(create_app(Settings(folder=str(tmp_path), max_jobs=3)), base_url=HERE, follow_redirects=False)
    yield client
    client.app.state.uploads.reader.stop()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("howsure.web.api.WAIT", 0.0)


def ask(visitor, sd):
    return visitor.send("POST", "/api/v1/power", json={**POWER, "sd": sd}).status_code


def test_visitors_without_cookies_are_bounded_together(narrow, impatient):
    asked = [ask(Visitor(narrow, session=False), 1 + i / 10) for i in range(5)]
    assert asked == [202, 202, 202, 429, 429]
    visitor = Visitor(narrow)
    assert [ask(visitor, 1 + i / 10) for i in range(5)] == [202, 202, 202, 429, 429]  # has three of its own
    assert ask(Visitor(narrow, session=False), 9.0) == 429


def test_all_visitors_together_are_bounded(narrow, impatient):
    """Whoever takes a new cookie for every few jobs fills the server up to the limit, and no further."""
    visitors = [Visitor(narrow) for _ in range(MOST_QUEUES)]
    asked = [ask(visitor, 1 + i / 10) for visitor in visitors for i in range(3)]
    assert asked == [202] * 3 * MOST_QUEUES
    late = Visitor(narrow)
    said = late.send("POST", "/api/v1/power", json=POWER)
    assert said.status_code == 429
    assert "30 jobs of all visitors are waiting or running, the most that this server takes" in said.text
    assert narrow.app.state.jobs.busy(None) == 30
    job = narrow.app.state.jobs.claim()
    narrow.app.state.jobs.end(job)
    assert ask(late, 1.0) == 202
    assert ask(late, 2.0) == 429


def test_resuming_is_no_way_around_the_limit(narrow, impatient):
    visitor = Visitor(narrow)
    first = visitor.send("POST", "/api/v1/power", json=POWER).json()["job"]
    assert visitor.send("POST", f"/api/v1/jobs/{first}/cancel").status_code == 200
    assert [ask(visitor, 2 + i / 10) for i in range(3)] == [202, 202, 202]
    assert visitor.send("POST", f"/api/v1/jobs/{first}/resume").status_code == 429
    assert visitor.form(f"/history/{first}/resume").status_code == 429
    assert narrow.app.state.jobs.get(first).state == "cancelled"
