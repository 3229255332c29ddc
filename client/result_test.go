package client

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestResultFiles: Files reads metadata.files of a result as it came, and nothing from
// metadata of another form.
func TestResultFiles(t *testing.T) {
	for element, want := range map[string][]WrittenFile{
		`{"metadata":{"files":[{"path":"a.pdf","size":5000000000,"type":"application/pdf"}]}}`: {
			{Path: "a.pdf", Size: 5_000_000_000, Type: "application/pdf"},
		},
		`{"metadata":{"files":"none"}}`: nil,
		`{}`:                            nil,
	} {
		var r Result
		if err := json.Unmarshal([]byte(element), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.Files(); !slices.Equal(got, want) {
			t.Errorf("%s: Files() = %v, want %v", element, got, want)
		}
	}
}
