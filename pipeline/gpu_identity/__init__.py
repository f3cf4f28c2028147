"""GPU labels to GPUs: `resolve` answers with a `Resolution`, a variant, a model or the reason why there is none."""

from pipeline.gpu_identity.label_lookup import NAMES, resolve
from pipeline.gpu_identity.models import SPECS
from pipeline.gpu_identity.resolution import Resolution

__all__ = ["NAMES", "SPECS", "Resolution", "resolve"]
