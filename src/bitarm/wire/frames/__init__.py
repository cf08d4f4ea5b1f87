"""Frames: pure bytes to messages and back, with nothing but the bytes.

    frame              encode, pack and pack_all: messages to frames; decode; describe, bit by bit
    envelope           what surrounds the fields: version, length, check sum
    short              the short frame, one report in 11 bytes
    single, packed     bodies of long frames, of one message and of many
    questions          a question's numbers, and the byte that says which they are
    columns, varint    how one number is spelt, floats included
    symbols            how symbols become bytes
    cursor             reading and explaining a frame, in one walk
    domain             which messages a frame can carry

The format is told in docs/wire.md. No module here knows a run's settings or a quantizer: a
symbol is carried, never understood.
"""
