package index

import (
	"bytes"
	"testing"

	"github.com/helve-dev/helve/internal/audit"
)

// stored returns record i as the trail stores it.
func stored(t testing.TB, i int) []byte {
	t.Helper()
	r := recordOf(i)
	r.StartedAt, r.EndedAt = &r.Time, &r.Time
	data, err := audit.Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFactsAreThoseOfTheLibrary: of a record that the trail writes, and of one in another
// form.
func TestFactsAreThoseOfTheLibrary(t *testing.T) {
	for i := range 20 {
		data := stored(t, i)
		for _, record := range [][]byte{data, append([]byte(" "), data...)} {
			got, want := factsOf(record), parseFacts(data)
			for f := range fields {
				if !bytes.Equal(got.values[f], want.values[f]) {
					t.Errorf("%s: field %d is %q, want %q", record, f, got.values[f], want.values[f])
				}
			}
			if got.micros != want.micros || len(want.values[call]) == 0 {
				t.Errorf("%s: time %d, want %d; call %q", record, got.micros, want.micros, want.values[call])
			}
		}
	}
}
