"""How the page asks each question and shows its answer: a sentence of menus in, a verdict with pictures out.

A view turns what the address says into the fields of the question (`question`), a result into numbers and words that
are kept with it (`freeze`, in the worker), and those into what a template shows (`show`). All statistics are in the
result; a question without a view of its own has the general one.
"""

from howsure.web.views.base import View
from howsure.web.views.compare import CompareView
from howsure.web.views.plan import PlanView
from howsure.web.views.power import PowerView
from howsure.web.views.rank import RankView
from howsure.web.views.scores import ScoresView

VIEWS: dict[str, View] = {
    "compare": CompareView(),
    "leaderboard": RankView(),
    "plan": PlanView(),
    "scores": ScoresView(),
    "power": PowerView(),
}
"""The views of pages that have one of their own."""

GENERAL = View()


def view_of(path: str) -> View:
    """Return the view of a page."""
    return VIEWS.get(path, GENERAL)
