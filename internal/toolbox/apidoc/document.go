package apidoc

import "fmt"

// Document is an API as its document describes it.
type Document struct {
	Title, Version string
	// Server is the first absolute URL of the servers, with the defaults of its variables;
	// empty if there is none.
	Server string
	// Schemes are the security schemes by name.
	Schemes    map[string]Scheme
	Operations []*Operation // by path, then by method
	// LeftOut are the operations that cannot be called.
	LeftOut []LeftOut
}

// LeftOut is an operation that cannot be called, and the reason.
type LeftOut struct{ Operation, Reason string }

// Operation is one method of one path.
type Operation struct {
	// ID is the operationId, or the method and the path of an operation without.
	ID, Method, Path     string
	Summary, Description string
	Tags                 []string
	Deprecated           bool
	// Server is the first absolute URL of the operation's own servers; empty if there is
	// none.
	Server     string
	Parameters []*Parameter
	Body       *Body // nil if the operation takes none
	// Security are the alternatives of schemes that a request needs; each alternative is a
	// list of names. An empty alternative needs none. Secured is set if the document says
	// anything about it.
	Security [][]string
	Secured  bool
	// Binary is set if a successful answer may have a type that is neither text nor JSON.
	Binary bool
}

// Places of parameters.
const (
	InPath   = "path"
	InQuery  = "query"
	InHeader = "header"
	InCookie = "cookie"
)

// Parameter is a parameter in the path, the query, a header or a cookie.
type Parameter struct {
	Name, In    string
	Description string
	Required    bool
	Encoding
	// JSON is set if the value is written as JSON.
	JSON   bool
	Schema map[string]any
}

// Encoding is the serialization of a parameter or of a field of a form.
type Encoding struct {
	Style         string
	Explode       bool
	AllowReserved bool
	// ContentType is the media type of a field; empty for parameters.
	ContentType string
}

// Body is the body of a request in one media type.
type Body struct {
	MediaType   string
	Description string
	Required    bool
	Schema      map[string]any
	// Fields are the encodings of the fields of a form, where the document has them.
	Fields map[string]Encoding
	// Files are the fields of a form that hold files.
	Files map[string]bool
}

// Types of security schemes.
const (
	APIKey = "apiKey"
	Bearer = "bearer"
	Basic  = "basic"
)

// Scheme is a way in which requests are authorized.
type Scheme struct {
	// Type is APIKey, Bearer or Basic; empty for a scheme that is not supported.
	Type string
	// In and Name are the place of an API key.
	In, Name string
}

// Limits on documents.
const (
	// MaxBytes is the maximum size of a document.
	MaxBytes = 32 << 20
	// MaxOperations is the maximum number of its operations.
	MaxOperations = 20_000

	maxNodes = 4 << 20 // with aliases expanded
	maxDepth = 200
	// maxLookup bounds the members of any mapping, and maxWide those of an object that
	// operations may share by reference: each of them reads it again.
	maxLookup = 100_000
	maxWide   = 1000
	maxName   = 200 // bytes of a name in an error
)

// clip shortens a text of a document for an error.
func clip(text string) string { return fmt.Sprintf("%.*q", maxName, text) }
