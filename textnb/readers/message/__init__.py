"""Reading of one mail: from the bytes of a message to a Document. No message raises an error.

    message       read_message: bytes to Document; the groups of tokens
    headers       the head: fields, date, and the list of defects
    field_values  values of header fields: encoded words and parameters
    parts         MIME parts
    charsets      charset of each text, and transfer encodings (base64, quoted-printable, uuencode)
    unlabelled    charset of texts without a label, by the evidence of all of them
    content       text of a message, from all its parts
    html          HTML to text; hiding: hidden text; page_source: HTML before and after parsing
    features      names of the groups of tokens; head_tokens: tokens of header fields; words: words and hosts of links

Nothing is imported here, so that programs that read no mail do not load it. ``textnb.readers`` has the public names.

Not public: CONTRIBUTING.md lists the public modules.
"""

__all__: list[str] = []
