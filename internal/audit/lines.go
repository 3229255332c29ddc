package audit

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The beginnings of the lines of an export.
var (
	recordLine  = []byte(`{"seq":`)
	sealLine    = []byte(`{"seal":`)
	trailerLine = []byte(`{"trailer":`)
	partMember  = []byte(`"part":`)
	rawMember   = []byte(`"raw":"`)
)

// header is the first line of an export.
type header struct {
	Version int       `json:"helve_audit_export"`
	Tenant  string    `json:"tenant"`
	Time    time.Time `json:"time"`
	// Filter holds the requested filter, by the names in docs/protocol.md.
	Filter map[string]string `json:"filter,omitempty"`
	// Complete is set if every record between First and To is here.
	Complete bool   `json:"complete"`
	First    uint64 `json:"first_seq"`
	To       uint64 `json:"to_seq"`
	// Keep is the retention of records, in seconds, 0 for unlimited.
	Keep  float64 `json:"keep_seconds,omitzero"`
	KeyID string  `json:"key_id"`
}

const (
	// exportVersion is the version of new exports. In version 1 a record has no part.
	exportVersion  = 2
	trailerVersion = 1
)

// trailer is the last line of an export, and signed.
type trailer struct {
	Version   int    `json:"trailer"`
	Tenant    string `json:"tenant"`
	Lines     uint64 `json:"lines"`
	Records   uint64 `json:"records"`
	Seals     uint64 `json:"seals"`
	LastSeal  uint64 `json:"last_seal"`
	Chain     Hash   `json:"chain"`
	KeyID     string `json:"key_id"`
	Signature []byte `json:"signature"`
}

func (t *trailer) statement() []byte {
	b := tagged(make([]byte, 0, 256), tagTrailer)
	for _, n := range [...]uint64{t.Lines, t.Records, t.Seals, t.LastSeal} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return appendString(appendString(append(b, t.Chain[:]...), t.Tenant), t.KeyID)
}

func (t *trailer) signed(keys keyring) bool {
	key, ok := keys[t.KeyID]
	return ok && len(t.Tenant) <= 255 && ed25519.Verify(key, t.statement(), t.Signature)
}

// link returns the chain hash extended by one line.
func link(chain Hash, line []byte) Hash {
	h := sha256.New()
	h.Write(append(tagged(make([]byte, 0, tagSize+sha256.Size), tagLine), chain[:]...))
	h.Write(line)
	return Hash(h.Sum(chain[:0]))
}

// asLine converts a record to a line of an export, from which [stored] restores it byte
// for byte.
func asLine(at Place, record []byte) []byte {
	line := append(make([]byte, 0, 48), recordLine...)
	line = append(strconv.AppendUint(line, at.Seq, 10), ',')
	if at.Part > 0 {
		line = append(strconv.AppendInt(append(line, partMember...), int64(at.Part), 10), ',')
	}
	if bytes.HasPrefix(record, []byte(`{"`)) && !bytes.HasPrefix(record[1:], rawMember) && !bytes.HasPrefix(record[1:], partMember) &&
		bytes.IndexByte(record, '\n') < 0 {
		whole := slices.Concat(line, record[1:])
		if jsontext.Value(whole).IsValid() {
			return whole
		}
	}
	line = append(line, rawMember...)
	line = base64.StdEncoding.AppendEncode(line, record)
	return append(line, '"', '}')
}

var errLine = errors.New("the line cannot be read")

// stored restores the record from its line in an export of a version. It may overwrite
// the line.
func stored(line []byte, version int) (at Place, record []byte, err error) {
	rest, ok := bytes.CutPrefix(line, recordLine)
	if !ok {
		return at, nil, errLine
	}
	if at.Seq, rest, err = count(rest); err != nil {
		return Place{}, nil, err
	}
	if text, ok := bytes.CutPrefix(rest[1:], partMember); ok && version > 1 {
		var part uint64
		if part, rest, err = count(text); err != nil || part < 1 || part >= MaxParts {
			return at, nil, errLine
		}
		at.Part = int(part)
	}
	if raw, ok := bytes.CutPrefix(rest[1:], rawMember); ok {
		raw, ok = bytes.CutSuffix(raw, []byte(`"}`))
		if !ok {
			return at, nil, errLine
		}
		record, err = base64.StdEncoding.Strict().AppendDecode(nil, raw)
		if err != nil {
			return at, nil, errLine
		}
		return at, record, nil
	}
	rest[0] = '{'
	return at, rest, nil
}

// count reads the number of a member, up to the comma after it.
func count(text []byte) (n uint64, comma []byte, err error) {
	end := bytes.IndexByte(text, ',')
	if end < 1 || end > 20 {
		return 0, nil, errLine
	}
	for _, d := range text[:end] {
		if d < '0' || d > '9' {
			return 0, nil, errLine
		}
		n = n*10 + uint64(d-'0')
	}
	return n, text[end:], nil
}

// lineMost is the maximum length of a line, in bytes.
const lineMost = 64 << 20

// lines reads an export line by line. A line is valid until the next.
type lines struct {
	in  *bufio.Reader
	buf []byte
	n   uint64 // the number of the line
	// cut is set if the last line has no end.
	cut bool
}

func readLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 256<<10)} }

// next returns the next line without its end, io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.buf = l.buf[:0]
		for errors.Is(err, bufio.ErrBufferFull) && len(l.buf) <= lineMost {
			l.buf = append(l.buf, line...)
			line, err = l.in.ReadSlice('\n')
		}
		l.buf = append(l.buf, line...)
		line = l.buf
		if len(line) > lineMost {
			return nil, fmt.Errorf("line %d of the export is longer than %d bytes", l.n+1, lineMost)
		}
	}
	switch {
	case err == nil:
		line = line[:len(line)-1]
	case errors.Is(err, io.EOF) && len(line) > 0:
		l.cut = true
	default:
		return nil, err
	}
	l.n++
	return line, nil
}
