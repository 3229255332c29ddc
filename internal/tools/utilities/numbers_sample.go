package utilities

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/tool"
)

const (
	// maxSample is how many numbers statistics takes.
	maxSample = 100_000
	// maxIgnoredEntries and maxIgnoredLength bound how much of what is no number is shown.
	maxIgnoredEntries = 10
	maxIgnoredLength  = 40
)

// sample is the numbers of a list, and what else was in it.
type sample struct {
	numbers []float64
	ignored []string
}

// readSample reads a JSON array, or a string that holds one or numbers between
// commas, semicolons or spaces. Entries that are no numbers are noted.
func readSample(raw json.RawMessage) (*sample, error) {
	text := ""
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, notNumbers()
		}
		text = strings.TrimSpace(text)
	} else {
		text = string(raw)
	}
	s := &sample{}
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
	case len(s.numbers) == 0:
		return nil, notNumbers()
	case len(s.numbers) > maxSample:
		return nil, tool.Fail(tool.ValidationError, "There are %d numbers. Give at most %d.", len(s.numbers), maxSample)
	}
	return s, nil
}

func notNumbers() error {
	return tool.Fail(tool.ValidationError, "No valid numbers provided. Give a JSON array such as [1, 2, 3], or numbers between commas.")
}

func isSeparator(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }

func (s *sample) addArray(text []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return tool.Fail(tool.ValidationError, "The numbers are not a valid JSON array. Give one such as [1, 2, 3], or numbers between commas.").Because(err)
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

func (s *sample) add(entry string) {
	f, err := strconv.ParseFloat(strings.Replace(entry, "\u2212", "-", 1), 64) // the minus of typography
	if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
		s.numbers = append(s.numbers, f)
		return
	}
	if len(s.ignored) < maxIgnoredEntries {
		s.ignored = append(s.ignored, clippedEntry(entry))
	}
}

func clippedEntry(entry string) string {
	entry = strings.ToValidUTF8(entry, "\uFFFD")
	if utf8.RuneCountInString(entry) > maxIgnoredLength {
		return string([]rune(entry)[:maxIgnoredLength]) + "..."
	}
	return entry
}

// describe works out the measures of a sample. Variance and deviation are
// those of a whole population.
func (s *sample) describe() (*statisticsResult, error) {
	sorted := slices.Sorted(slices.Values(s.numbers))
	sum := compensatedSum(sorted)
	mean := sum / float64(len(sorted))
	squares := make([]float64, len(sorted))
	for i, x := range sorted {
		squares[i] = (x - mean) * (x - mean)
	}
	variance := compensatedSum(squares) / float64(len(sorted))
	low, high := sorted[0], sorted[len(sorted)-1]
	if math.IsInf(sum, 0) || math.IsNaN(sum) || math.IsInf(variance, 0) || math.IsNaN(variance) || math.IsInf(high-low, 0) {
		return nil, tool.Fail(tool.ValidationError, "The numbers are too large to be summed up. Scale them down.")
	}
	return &statisticsResult{
		Count:             len(sorted),
		Sum:               measure(sum),
		Mean:              measure(mean),
		Median:            measure(percentileOf(sorted, 50)),
		Mode:              modeOf(sorted),
		Variance:          measure(variance),
		StandardDeviation: measure(math.Sqrt(variance)),
		Min:               low,
		Max:               high,
		Range:             measure(high - low),
		Quartiles: quartiles{
			measure(percentileOf(sorted, 25)), measure(percentileOf(sorted, 50)), measure(percentileOf(sorted, 75)),
		},
		Ignored: s.ignored,
		sorted:  sorted,
	}, nil
}

// measure rounds to 4 decimals; values so small that nothing would be left
// keep 4 digits.
func measure(f float64) float64 {
	if math.Abs(f) < 1e-3 {
		return roundedFloat(f, defaultPlaces, defaultPlaces)
	}
	return roundedFloat(f, defaultPlaces, 0)
}

// compensatedSum adds up with Neumaier's correction, so that the order and the
// sizes of the numbers do not show in the sum.
func compensatedSum(numbers []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, x := range numbers {
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	return sum + lost
}

// percentileOf interpolates between the two nearest of the sorted numbers.
func percentileOf(sorted []float64, percent float64) float64 {
	position := percent / 100 * float64(len(sorted)-1)
	below := int(position)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := position - float64(below)
	return sorted[below]*(1-part) + sorted[below+1]*part
}

// modeOf returns the numbers that occur most, in order, or "no mode" if none
// occurs twice.
func modeOf(sorted []float64) any {
	var modes []float64
	most := 1
	for i := 0; i < len(sorted); {
		end := i
		for end < len(sorted) && sorted[end] == sorted[i] {
			end++
		}
		if n := end - i; n > most {
			most, modes = n, []float64{sorted[i]}
		} else if n == most && n > 1 {
			modes = append(modes, sorted[i])
		}
		i = end
	}
	if modes == nil {
		return "no mode"
	}
	return modes
}
