from .gate import GateSettings as GateSettings
from .gate import gate as gate
from .result import GateResult as GateResult
from .rule import CLAIMS as CLAIMS
from .rule import GateRule as GateRule
