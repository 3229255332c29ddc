package audit

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
)

// VerifyFile verifies an export with only the public keys: each record equals the
// sealed one, none is missing, added or moved, and the file is unchanged and complete.
// An export with a filter declares that it holds less; its contents are verified. The
// error means that r could not be read, not that a problem was found.
func VerifyFile(r io.Reader, keys ...ed25519.PublicKey) (protocol.AuditReport, error) {
	f := file{checker: checker{keys: ring(keys...)}, lines: readLines(r), version: exportVersion}
	for {
		line, err := f.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return protocol.AuditReport{}, fmt.Errorf("read the export: %w", err)
		}
		f.line(line)
	}
	return f.end(), nil
}

// file is the state of verifying an export.
type file struct {
	checker
	lines   *lines
	chain   Hash
	records uint64
	seals   uint64
	trailer *trailer
	version int // of the export
}

// line checks one line, which it may overwrite.
func (f *file) line(line []byte) {
	if f.trailer != nil {
		addProblem(&f.report, Place{}, protocol.ProblemAdded, "line %d stands behind the end of the export", f.lines.n)
		return
	}
	if bytes.HasPrefix(line, trailerLine) {
		f.close(line)
		return
	}
	f.chain = link(f.chain, line)
	if f.lines.n == 1 {
		f.header(line)
		return
	}
	switch {
	case bytes.HasPrefix(line, recordLine):
		f.records++
		at, record, err := stored(line, f.version)
		if err != nil {
			addProblem(&f.report, at, protocol.ProblemChanged, "line %d cannot be read", f.lines.n)
			return
		}
		f.take(at, "", record, func() time.Time { return timeOf(record) })
	case bytes.HasPrefix(line, sealLine):
		f.seals++
		if o, ok := f.open(line); ok {
			f.seal(o)
		}
	default:
		addProblem(&f.report, Place{}, protocol.ProblemAdded, "line %d is neither a record nor a seal", f.lines.n)
	}
}

func (f *file) header(line []byte) {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Version < 1 {
		addProblem(&f.report, Place{}, protocol.ProblemChanged, "the first line is not the header of an export")
		return
	}
	if h.Version > exportVersion {
		addProblem(&f.report, Place{}, protocol.ProblemChanged,
			"the export is of version %d, which this version of Helve cannot verify: verify it with a newer one", h.Version)
		return
	}
	f.version = h.Version
	f.tenant, f.now, f.first, f.partial = h.Tenant, h.Time, h.First, !h.Complete
	f.keep = time.Duration(h.Keep * float64(time.Second))
}

// close reads the trailer and compares it with the lines before it.
func (f *file) close(line []byte) {
	t := new(trailer)
	if err := json.Unmarshal(line, t); err != nil || t.Version != trailerVersion {
		addProblem(&f.report, Place{}, protocol.ProblemCutOff, "the end of the export cannot be read")
		return
	}
	f.trailer = t
	if again, err := json.Marshal(t); err != nil || !bytes.Equal(again, line) {
		addProblem(&f.report, Place{}, protocol.ProblemChanged, "the end of the export is not as it was written")
	}
	switch {
	case !t.signed(f.keys):
		addProblem(&f.report, Place{}, protocol.ProblemSealForged, "the end of the export is not signed with a key that is trusted: %.32q",
			t.KeyID)
	case t.Records > f.records:
		addProblem(&f.report, Place{}, protocol.ProblemMissing, "the export was written with %s and holds %d",
			plural(int(t.Records), "record"), f.records)
	case t.Records < f.records:
		addProblem(&f.report, Place{}, protocol.ProblemAdded, "the export was written with %s and holds %d",
			plural(int(t.Records), "record"), f.records)
	case t.Seals > f.seals:
		addProblem(&f.report, Place{}, protocol.ProblemSealMissing, "the export was written with %s and holds %d",
			plural(int(t.Seals), "seal"), f.seals)
	case t.Tenant != f.tenant || t.Lines != f.lines.n-1 || t.Chain != f.chain:
		addProblem(&f.report, Place{}, protocol.ProblemChanged, "the lines of the export are not as they were written")
	}
}

func (f *file) end() protocol.AuditReport {
	switch {
	case f.lines.n == 0:
		addProblem(&f.report, Place{}, protocol.ProblemCutOff, "the export is empty")
	case f.trailer == nil:
		addProblem(&f.report, f.seen, protocol.ProblemCutOff, "the export is cut off: its last line is missing")
	case f.lines.cut:
		addProblem(&f.report, f.seen, protocol.ProblemCutOff, "the export is cut off in its last line")
	}
	return f.checker.end()
}

// timeOf returns the time of a stored record, without parsing the rest.
func timeOf(record []byte) time.Time {
	_, text, _ := bytes.Cut(record[:min(len(record), 160)], []byte(`"time":"`))
	text, _, _ = bytes.Cut(text, []byte{'"'})
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}
