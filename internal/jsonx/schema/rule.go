package schema

import "math"

// rule is one schema of a document, after the compiler has checked it. The fast check, the
// meter and the document for the library are all made from it.
type rule struct {
	at      string  // JSON pointer within the document; "" is the root
	accepts verdict // of a boolean schema
	ref     string  // "$ref" as written
	to      *rule   // target of ref; nothing else in the rule counts then
	shared  int     // number among the referenced schemas; 0 if it is not referenced

	words map[string]any // keywords that hold no schema, in the form for the library
	kids  []kid          // schemas held by keywords, in the order of the keywords

	inPlace []*rule // schemas that look at the same value: allOf, if, dependencies ...

	// Objects.
	props    map[string]prop
	required []string
	closed   bool  // additionalProperties is false
	opened   bool  // additionalProperties is present and not false
	extra    *rule // additionalProperties is a schema
	patterns []pattern
	names    *rule    // propertyNames
	linked   []string // names in dependencies

	// Arrays.
	items, rest, contains *rule
	tuple                 []*rule
	minItems, maxItems    int

	// Scalars.
	kinds                kinds
	bounds               []bound
	extremes             int // bounds written with an exponent, which are expensive to print
	minLength, maxLength int
	listed               bool // enum or const is present
	strings              map[string]struct{}
	literals             []string // numbers, true, false, null as written

	plain    bool // the fast check knows every keyword
	insts    int  // size of the compiled pattern
	weight   int  // bytes of text in enum and const
	compares bool // enum, const or uniqueItems: the whole value is compared
	regex    bool // format is regex: strings are compiled
}

// verdict is the meaning of a schema that is true or false instead of an object.
type verdict int8

const (
	depends verdict = iota
	everything
	nothing
)

// kid is a schema held by a keyword, under a name where the keyword has names.
type kid struct {
	word, name string
	rule       *rule
}

// prop is the part of an object rule for one member.
type prop struct {
	rule     *rule
	required bool
}

// pattern is one member of patternProperties.
type pattern struct {
	rule  *rule
	match matcher
	insts int
}

// matcher is the part of *regexp.Regexp the meter needs.
type matcher interface{ MatchString(string) bool }

// newRule returns a rule without keywords, which accepts everything.
func newRule(at string) *rule {
	return &rule{
		at: at, plain: true, words: map[string]any{},
		maxItems: math.MaxInt, maxLength: math.MaxInt,
	}
}

// kinds is a set of JSON types.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindObject
	kindArray
	kindNumber
	kindString
	kindInteger
)

// kindNames maps the names of types in a schema.
var kindNames = map[string]kinds{
	"null": kindNull, "boolean": kindBoolean, "object": kindObject, "array": kindArray,
	"number": kindNumber, "string": kindString, "integer": kindInteger,
}

// allows reports whether the rule's type, if it has one, includes k.
func (r *rule) allows(k kinds) bool {
	return r.kinds == 0 || r.kinds&k != 0
}
