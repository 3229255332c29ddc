package schema

import "testing"

// nineProperties is like the schema of a typical tool.
const nineProperties = `{
	"type": "object",
	"properties": {
		"title": {"type": "string", "description": "What to do.", "minLength": 1, "maxLength": 200},
		"notes": {"type": "string"},
		"priority": {"type": "string", "enum": ["low", "normal", "high", "urgent"]},
		"due_date": {"type": "string"},
		"category": {"type": "string"},
		"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
		"estimate": {"type": "integer", "minimum": 1, "maximum": 1000},
		"remind": {"type": "boolean"},
		"weight": {"type": "number", "minimum": 0}
	},
	"required": ["title"],
	"additionalProperties": false
}`

const (
	nineValid = `{"title":"Write the quarterly report","notes":"Ask Anna for the figures","priority":"high",` +
		`"due_date":"2026-12-01","category":"work","tags":["report","finance"],"estimate":90,"remind":true,"weight":0.5}`
	nineInvalid = `{"title":"","notes":5,"priority":"hihg","due_date":"2026-12-01","category":"work",` +
		`"tags":["report",7],"estimate":0,"remind":"yes","weight":0.5}`
)

// BenchmarkPrepareValid measures arguments the fast check can decide alone.
func BenchmarkPrepareValid(b *testing.B) {
	benchmarkPrepare(b, nineProperties, nineValid, true)
}

// BenchmarkPrepareAuthority measures valid arguments that go to gojsonschema,
// because a pattern is beyond the fast check.
func BenchmarkPrepareAuthority(b *testing.B) {
	const pattern = `"category": {"type": "string", "pattern": "^[a-z]+$"}`
	benchmarkPrepare(b, replace(b, nineProperties, `"category": {"type": "string"}`, pattern), nineValid, true)
}

// BenchmarkPrepareInvalid measures finding and wording six problems.
func BenchmarkPrepareInvalid(b *testing.B) {
	benchmarkPrepare(b, nineProperties, nineInvalid, false)
}

func benchmarkPrepare(b *testing.B, document, args string, valid bool) {
	s := compile(b, document)
	raw := []byte(args)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Prepare(raw); (err == nil) != valid {
			b.Fatalf("Prepare(%s) = %v, want valid: %v", args, err, valid)
		}
	}
}

// BenchmarkCompile measures all checks of a schema.
func BenchmarkCompile(b *testing.B) {
	raw := []byte(nineProperties)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(raw); err != nil {
			b.Fatal(err)
		}
	}
}
