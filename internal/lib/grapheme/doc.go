// Package grapheme cuts and reverses texts by user-perceived characters, such as a
// flag, an emoji of a family or a letter with its accents.
//
// No result splits such a character. Lengths are counted in Unicode code points, as in
// all tools. If a cut by bytes or code points is enough, package textcut is smaller.
package grapheme
