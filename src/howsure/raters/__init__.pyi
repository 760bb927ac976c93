from .agreement import Agreement as Agreement
from .agreement import Coefficient as Coefficient
from .agreement import measure_agreement as measure_agreement
