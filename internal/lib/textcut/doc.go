// Package textcut shortens texts: by bytes or by characters, at the beginning or at the
// end, with or without a mark.
//
// No result splits a UTF-8 character or is longer than the limit. Characters are
// Unicode code points; to keep user-perceived characters together, use package
// grapheme. Every function accepts any bytes.
package textcut
