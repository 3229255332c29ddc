// Package codec encodes texts as base64, hexadecimal, HTML entities and URL components,
// and decodes them.
//
// Encoding never fails and Decode(Encode(text)) is text. Decoding accepts pasted input:
// line breaks, missing padding, either base64 alphabet. It returns bytes, which may not
// be text.
package codec
