package sample

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

const (
	// MaxSample is the maximum size of a sample.
	MaxSample = 100_000
	// maxIgnoredEntries and maxIgnoredLength limit the reported entries that are not
	// numbers.
	maxIgnoredEntries = 10
	maxIgnoredLength  = 40
)

// Sample holds the numbers of a list, with every digit, and its other entries.
type Sample struct {
	Numbers []*big.Rat // in their order
	Ignored []string   // the first entries that are not numbers
}

// Read parses a JSON array, or a string that contains one or numbers between commas,
// semicolons or spaces. It records entries that are not numbers.
func Read(raw json.RawMessage) (*Sample, error) {
	text := ""
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, notNumbers()
		}
		text = strings.TrimSpace(text)
	} else {
		text = string(raw)
	}
	s := &Sample{}
	if strings.HasPrefix(text, "[") {
		if err := s.addArray([]byte(text)); err != nil {
			return nil, err
		}
	} else {
		for entry := range strings.FieldsFuncSeq(text, isSeparator) {
			s.add(entry)
		}
	}
	switch {
	case len(s.Numbers) == 0:
		return nil, notNumbers()
	case len(s.Numbers) > MaxSample:
		return nil, tool.Fail(tool.ValidationError, "There are %d numbers. Give at most %d.", len(s.Numbers), MaxSample)
	}
	return s, nil
}

func notNumbers() error {
	return tool.Fail(tool.ValidationError, "No valid numbers provided. Give a JSON array such as [1, 2, 3], or numbers between commas.")
}

func isSeparator(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

func (s *Sample) addArray(text []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return tool.Fail(tool.ValidationError,
			"The numbers are not a valid JSON array. Give one such as [1, 2, 3], or numbers between commas.").Because(err)
	}
	for _, entry := range entries {
		var quoted string
		if json.Unmarshal(entry, &quoted) == nil && len(entry) > 0 && entry[0] == '"' {
			s.add(strings.TrimSpace(quoted))
		} else {
			s.add(string(entry))
		}
	}
	return nil
}

func (s *Sample) add(entry string) {
	plain := strings.Replace(entry, "\u2212", "-", 1) // the typographic minus sign
	f, err := strconv.ParseFloat(plain, 64)
	if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		s.Numbers = append(s.Numbers, everyDigit(plain, f))
		return
	}
	if len(s.Ignored) < maxIgnoredEntries {
		s.Ignored = append(s.Ignored, textcut.Excerpt(strings.ToValidUTF8(entry, "\uFFFD"), maxIgnoredLength))
	}
}

// maxDigits is the length of the longest number that is read digit by digit, in bytes.
const maxDigits = 400

// everyDigit parses a number whose nearest float64 is f. For a number that is too long,
// too small for a float64, or not decimal it returns f.
func everyDigit(text string, f float64) *big.Rat {
	if len(text) <= maxDigits && (f != 0 || !strings.ContainsAny(text, "eE")) && !strings.ContainsAny(text, "xX_pP") {
		if r, ok := new(big.Rat).SetString(text); ok {
			return r
		}
	}
	return calc.RatOf(f, -1)
}
