package audit

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
)

// VerifyFile verifies an export with nothing but the public keys: that each
// record is what was sealed, that none is gone, added or moved, and that the
// file is as it was written, to its end. An export with a filter is told to
// hold less; what it holds is verified. The error says that r could not be
// read, not that something is wrong.
func VerifyFile(r io.Reader, keys ...ed25519.PublicKey) (Report, error) {
	f := file{checker: checker{keys: ring(keys...)}, lines: readLines(r)}
	for {
		line, err := f.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Report{}, fmt.Errorf("read the export: %w", err)
		}
		f.line(line)
	}
	return f.end(), nil
}

// file is an export that is being verified.
type file struct {
	checker
	lines   *lines
	chain   Hash
	records uint64
	seals   uint64
	trailer *trailer
}

// line looks at one line, and uses it up.
func (f *file) line(line []byte) {
	if f.trailer != nil {
		f.report.add(0, Added, "line %d stands behind the end of the export", f.lines.n)
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
		seq, record, err := stored(line)
		if err != nil {
			f.report.add(seq, Changed, "line %d cannot be read", f.lines.n)
			return
		}
		f.take(seq, record, func() time.Time { return timeOf(record) })
	case bytes.HasPrefix(line, sealLine):
		f.seals++
		if o, ok := f.open(line); ok {
			f.seal(o)
		}
	default:
		f.report.add(0, Added, "line %d is neither a record nor a seal", f.lines.n)
	}
}

func (f *file) header(line []byte) {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Version != exportVersion {
		f.report.add(0, Changed, "the first line is not the header of an export of this version")
		return
	}
	f.tenant, f.now, f.first, f.partial = h.Tenant, h.Time, h.First, !h.Complete
	f.keep = time.Duration(h.Keep * float64(time.Second))
}

// close reads the trailer and holds it against what was there before it.
func (f *file) close(line []byte) {
	t := new(trailer)
	if err := json.Unmarshal(line, t); err != nil || t.Version != exportVersion {
		f.report.add(0, CutOff, "the end of the export cannot be read")
		return
	}
	f.trailer = t
	if again, err := json.Marshal(t); err != nil || !bytes.Equal(again, line) {
		f.report.add(0, Changed, "the end of the export is not as it was written")
	}
	switch {
	case !t.signed(f.keys):
		f.report.add(0, SealForged, "the end of the export is not signed with a key that is trusted: %.32q", t.KeyID)
	case t.Records > f.records:
		f.report.add(0, Missing, "the export was written with %s and holds %d", plural(int(t.Records), "record"), f.records)
	case t.Records < f.records:
		f.report.add(0, Added, "the export was written with %s and holds %d", plural(int(t.Records), "record"), f.records)
	case t.Seals > f.seals:
		f.report.add(0, SealMissing, "the export was written with %s and holds %d", plural(int(t.Seals), "seal"), f.seals)
	case t.Tenant != f.tenant || t.Lines != f.lines.n-1 || t.Chain != f.chain:
		f.report.add(0, Changed, "the lines of the export are not as they were written")
	}
}

func (f *file) end() Report {
	switch {
	case f.lines.n == 0:
		f.report.add(0, CutOff, "the export is empty")
	case f.trailer == nil:
		f.report.add(f.seen, CutOff, "the export is cut off: its last line is missing")
	case f.lines.cut:
		f.report.add(f.seen, CutOff, "the export is cut off in its last line")
	}
	return f.checker.end()
}

// timeOf returns the time that a stored record tells, without reading the rest.
func timeOf(record []byte) time.Time {
	_, text, _ := bytes.Cut(record[:min(len(record), 160)], []byte(`"time":"`))
	text, _, _ = bytes.Cut(text, []byte{'"'})
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}
