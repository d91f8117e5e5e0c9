"""The versions of Janome whose tokens the engines are known to give."""

KNOWN_VERSIONS = ("0.5.0",)
