from .base import Question as Question
from .base import Run as Run
from .compare import Compare as Compare
from .plan import Plan as Plan
