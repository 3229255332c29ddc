package tool

// Fonts gives access to the fonts of the worker's machine.
type Fonts interface {
	// Covering returns a font with outlines that contains the character; of several,
	// the font that suits the surrounding text best. It returns nil if there is none.
	Covering(character rune, text string) (*Font, error)
}

// Font is a TrueType or OpenType font.
type Font struct {
	// Name is its family.
	Name string
	// Data is the font file. It is shared and must not be changed.
	Data []byte
	// Index is the font's index in the file, which may be a collection.
	Index int
}
