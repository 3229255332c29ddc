// Package textcase changes the case of texts and converts them to identifiers and
// slugs.
//
// It follows Unicode rather than one language: ß becomes SS, and the Turkish ı and i
// are not distinguished. Every function accepts any text and never fails.
package textcase
