package js

// Use is one literal use of a tool in the code of a program.
type Use struct {
	Name string   `json:"name"`
	Keys []string `json:"keys,omitempty"` // the literal names in its argument
	// Open is set if the argument may have other names: it is no object literal, or one
	// with a spread or a computed name.
	Open   bool `json:"open,omitempty"`
	Line   int  `json:"line"`
	Column int  `json:"column"`
}

// Survey is a stub.
func Survey(name, code string, tool bool) ([]Use, error) {
	_, err := CompileDurable(name, code, tool)
	return nil, err
}
