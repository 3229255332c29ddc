package audit

import (
	"fmt"
	"time"
)

// Kind is what is wrong with a trail.
type Kind string

// The kinds of problems. The first five are about a record, the next three
// about a seal.
const (
	// Changed: the record is not what was sealed.
	Changed Kind = "changed"
	// Missing: the record was sealed, or is counted, and is not there.
	Missing Kind = "missing"
	// Added: the record stands where the seal says that there is none.
	Added Kind = "added"
	// Reordered: the record was sealed at another place.
	Reordered Kind = "reordered"
	// CutOff: the trail ends before what was sealed does.
	CutOff Kind = "cut_off"
	// SealMissing: a seal is gone from the chain.
	SealMissing Kind = "seal_missing"
	// SealForged: a seal is not signed with a key that is trusted, or does not
	// follow from the one before it.
	SealForged Kind = "seal_forged"
	// SealChanged: a seal cannot be read, or is not what was signed.
	SealChanged Kind = "seal_changed"
	// Unsealed: the record should have been sealed long ago.
	Unsealed Kind = "unsealed"
)

// Problem is one thing that is wrong. Seq is the place in the stream that it is
// about, 0 where there is none; Detail is one sentence.
type Problem struct {
	Seq    uint64 `json:"seq"`
	Kind   Kind   `json:"kind"`
	Detail string `json:"detail"`
}

// Report says whether a trail is what was sealed.
type Report struct {
	// OK is true when nothing is wrong.
	OK bool `json:"ok"`
	// Records is how many were looked at, SealedTo the last place in the stream
	// that a good seal covers.
	Records  uint64 `json:"records"`
	SealedTo uint64 `json:"sealed_to"`
	// Problems are the first that were found, at most MaxProblems.
	Problems []Problem `json:"problems"`
	// Found is how many problems there are.
	Found uint64 `json:"problem_count"`
}

// MaxProblems is how many problems a report lists.
const MaxProblems = 100

func (r *Report) add(seq uint64, kind Kind, detail string, args ...any) {
	r.OK = false
	r.Found++
	if len(r.Problems) < MaxProblems {
		r.Problems = append(r.Problems, Problem{seq, kind, fmt.Sprintf(detail, args...)})
	}
}

// sealLate is when a record that is not sealed is a problem.
const sealLate = time.Minute
