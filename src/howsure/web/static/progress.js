"use strict";
// A job tells how far it is as server-sent events; htmx then fetches the answer, and asks now and then without them.
document.addEventListener("DOMContentLoaded", () => {
  const listen = (place) => {
    if (!window.EventSource || place.source) return;
    place.source = new EventSource(place.dataset.events);
    place.source.addEventListener("progress", (event) => {
      const now = JSON.parse(event.data);
      if (now.share) place.querySelector("progress").value = now.share;
      place.querySelector(".label").textContent =
        (now.label || now.state) + (now.share ? ", " + now.share + "%" : "") + " …";
    });
    place.source.addEventListener("ended", () => {
      place.source.close();
      window.htmx.trigger(place, "ended");
    });
  };
  const listenAll = () => document.querySelectorAll("[data-events]").forEach(listen);
  document.body.addEventListener("htmx:afterSwap", listenAll);
  document.body.addEventListener("htmx:beforeCleanupElement", (event) => {
    if (event.target.source) event.target.source.close();
  });
  listenAll();
});
