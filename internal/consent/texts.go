package consent

import (
	"slices"

	"github.com/helve-dev/helve/protocol"
)

// listedTexts bounds the texts of changes in one list, in bytes.
const listedTexts = 256 << 10

// withoutTexts returns a consent whose changes have no texts. Only the parked call keeps these: an
// inbox that every dispatcher follows would be large, and the texts are read with the consent.
func withoutTexts(r *protocol.Consent) *protocol.Consent {
	if len(r.Changes) == 0 {
		return r
	}
	short := *r
	short.Changes = slices.Clone(r.Changes)
	for i := range short.Changes {
		c := &short.Changes[i]
		c.Cut = c.Cut || c.Old != nil || c.New != nil
		c.Old, c.New = nil, nil
	}
	return &short
}

// sizeOfTexts returns the number of bytes of the texts of a consent's changes.
func sizeOfTexts(r *protocol.Consent) int {
	size := 0
	for i := range r.Changes {
		for _, text := range []*string{r.Changes[i].Old, r.Changes[i].New} {
			if text != nil {
				size += len(*text)
			}
		}
	}
	return size
}
