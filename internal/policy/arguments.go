package policy

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go/types"
	"github.com/go-json-experiment/json/jsontext"
)

// maxValues bounds the number of argument values converted to Cedar's. Its sets probe
// one place after another, so a sender who picks colliding values makes them cost the
// square of their number.
const maxValues = 4096

var (
	errNoObject   = errors.New("the arguments are not one JSON object")
	errManyValues = errors.New("the arguments hold more values than rules can judge")
)

// arguments returns the wanted members of a JSON object as Cedar values; the package
// comment describes the conversion. Like the decoder of tools it takes names literally
// and refuses a duplicate name.
func arguments(raw []byte, wanted func(name string) bool) (types.Record, error) {
	if len(raw) == 0 {
		return types.Record{}, nil
	}
	r := reader{dec: jsontext.NewDecoder(bytes.NewReader(raw))}
	if r.dec.PeekKind() != '{' {
		return types.Record{}, errNoObject
	}
	record, err := r.record(wanted)
	if err != nil {
		return types.Record{}, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return types.Record{}, errNoObject
	}
	return record, nil
}

type reader struct {
	dec    *jsontext.Decoder
	values int
}

// value reads one value; a null becomes nil.
func (r *reader) value() (types.Value, error) {
	if r.values++; r.values > maxValues {
		return nil, errManyValues
	}
	if kind := r.dec.PeekKind(); kind == '{' {
		return r.record(func(string) bool { return true })
	} else if kind == '[' {
		return r.set()
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return types.String(token.String()), nil
	case '0':
		return number(token.String()), nil
	case 't', 'f':
		return types.Boolean(token.Bool()), nil
	default:
		return nil, nil
	}
}

func (r *reader) record(wanted func(name string) bool) (types.Record, error) {
	members := types.RecordMap{}
	_, err := r.dec.ReadToken()
	for err == nil && r.dec.PeekKind() != '}' {
		err = r.member(members, wanted)
	}
	if err == nil {
		_, err = r.dec.ReadToken()
	}
	return types.NewRecord(members), err
}

func (r *reader) member(members types.RecordMap, wanted func(name string) bool) error {
	token, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	name := token.String()
	if !wanted(name) {
		return r.dec.SkipValue()
	}
	v, err := r.value()
	if err == nil && v != nil {
		members[types.String(name)] = v
	}
	return err
}

func (r *reader) set() (types.Set, error) {
	var elements []types.Value
	_, err := r.dec.ReadToken()
	for err == nil && r.dec.PeekKind() != ']' {
		var v types.Value
		if v, err = r.value(); v != nil {
			elements = append(elements, v)
		}
	}
	if err == nil {
		_, err = r.dec.ReadToken()
	}
	return types.NewSet(elements...), err
}

// number returns a whole number as a long and a number with at most four decimal places
// as a decimal, however it is written: a tool reads 1e3 as 1000, and so must a rule.
// Any other number becomes its text.
func number(text string) types.Value {
	digits, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil {
			return types.String(text)
		}
		digits = text[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	digits = whole + fraction
	for strings.HasSuffix(digits, "0") {
		digits, exponent = digits[:len(digits)-1], exponent+1
	}
	switch {
	case digits == "" || digits == "-":
		return types.Long(0)
	case exponent >= 0 && exponent < 19:
		if n, err := strconv.ParseInt(digits+strings.Repeat("0", exponent), 10, 64); err == nil {
			return types.Long(n)
		}
	case exponent < 0 && exponent >= -4:
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			if d, err := types.NewDecimal(n, exponent); err == nil {
				return d
			}
		}
	}
	return types.String(text)
}
