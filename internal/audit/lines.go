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

// What the lines of an export begin with.
var (
	recordLine  = []byte(`{"seq":`)
	sealLine    = []byte(`{"seal":`)
	trailerLine = []byte(`{"trailer":`)
	rawMember   = []byte(`"raw":"`)
)

// header is the first line of an export.
type header struct {
	Version int       `json:"helve_audit_export"`
	Tenant  string    `json:"tenant"`
	Time    time.Time `json:"time"`
	// Filter holds what was asked for, by PROTOCOL's names.
	Filter map[string]string `json:"filter,omitempty"`
	// Complete says that every record between First and To is here.
	Complete bool   `json:"complete"`
	First    uint64 `json:"first_seq"`
	To       uint64 `json:"to_seq"`
	// Keep is how long records are kept, in seconds, 0 for ever.
	Keep  float64 `json:"keep_seconds,omitzero"`
	KeyID string  `json:"key_id"`
}

const exportVersion = 1

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

// link is the chain over the lines with one more.
func link(chain Hash, line []byte) Hash {
	h := sha256.New()
	h.Write(append(tagged(make([]byte, 0, tagSize+sha256.Size), tagLine), chain[:]...))
	h.Write(line)
	return Hash(h.Sum(chain[:0]))
}

// asLine puts a record into a line of an export, from which [stored] takes it
// out again byte for byte.
func asLine(seq uint64, record []byte) []byte {
	line := append(make([]byte, 0, 32), recordLine...)
	line = append(strconv.AppendUint(line, seq, 10), ',')
	if bytes.HasPrefix(record, []byte(`{"`)) && !bytes.HasPrefix(record[1:], rawMember) && bytes.IndexByte(record, '\n') < 0 {
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

// stored takes the record out of its line. The line is used up.
func stored(line []byte) (seq uint64, record []byte, err error) {
	rest, ok := bytes.CutPrefix(line, recordLine)
	comma := bytes.IndexByte(rest, ',')
	if !ok || comma < 1 || comma > 20 {
		return 0, nil, errLine
	}
	for _, d := range rest[:comma] {
		if d < '0' || d > '9' {
			return 0, nil, errLine
		}
		seq = seq*10 + uint64(d-'0')
	}
	if raw, ok := bytes.CutPrefix(rest[comma+1:], rawMember); ok {
		raw, ok = bytes.CutSuffix(raw, []byte(`"}`))
		if !ok {
			return seq, nil, errLine
		}
		record, err = base64.StdEncoding.Strict().AppendDecode(nil, raw)
		if err != nil {
			return seq, nil, errLine
		}
		return seq, record, nil
	}
	rest[comma] = '{'
	return seq, rest[comma:], nil
}

// lineMost is the longest line that is read, in bytes.
const lineMost = 64 << 20

// lines reads an export line by line. A line is good until the next.
type lines struct {
	in  *bufio.Reader
	buf []byte
	n   uint64 // the number of the line
	// cut says that the last line has no end.
	cut bool
}

func readLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 256<<10)} }

// next returns the next line without its end, io.EOF behind the last.
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
