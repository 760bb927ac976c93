from .advantage_components import AdvantageComponents as AdvantageComponents
from .advantage_components import variance_components as variance_components
from .agreement import Agreement as Agreement
from .agreement import Coefficient as Coefficient
from .agreement import measure_agreement as measure_agreement
