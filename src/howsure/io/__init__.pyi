from .diagnosis import Diagnosis as Diagnosis
from .diagnosis import doctor as doctor
from .joining import join as join
from .logs import read_logs as read_logs
from .reading import read as read
from .wide import read_wide as read_wide
from .writing import write as write
