from .joining import join as join
from .tidy import read as read
from .wide import read_wide as read_wide
from .writing import write as write
