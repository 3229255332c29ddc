package api

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/lib/jsonwalk"
)

const (
	defaultPage = 100
	maxPage     = 1000
	// lastSecond is the end of the year 9999, the last second that RFC 3339 can
	// represent.
	lastSecond = 253402300799
)

// pageSize parses limit, the maximum number of elements on a page.
func pageSize(text string) (int, error) {
	if text == "" {
		return defaultPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, BadRequest("limit must be 1 to %d, but it is %.40q", maxPage, text)
	}
	return n, nil
}

// flag parses a boolean parameter; absent is false.
func flag(name, text string) (bool, error) {
	switch text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, BadRequest("%s must be true or false, but it is %.40q", name, text)
}

// span parses the two ends of a period; a missing end is the zero time.
func span(from, to string, now time.Time) (begin, end time.Time, err error) {
	if begin, err = moment("from", from, now); err != nil {
		return begin, end, err
	}
	if end, err = moment("to", to, now); err != nil {
		return begin, end, err
	}
	if !begin.IsZero() && !end.IsZero() && end.Before(begin) {
		return begin, end, BadRequest("from is after to, so nothing can lie between them")
	}
	return begin, end, nil
}

// moment parses a time: RFC 3339, seconds since 1970, or a duration before now.
func moment(name, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds <= lastSecond {
		whole, part := math.Modf(seconds)
		return time.Unix(int64(whole), int64(part*1e9)).UTC(), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UTC(), nil
	}
	return time.Time{},
		BadRequest(`%s must be a time like "2026-11-20T12:00:00Z", seconds since 1970, or how long ago, like "1h30m"; it is %.80q`, name, text)
}

// parseBody decodes the JSON object of a request into v. Null is the same as absent. An
// unknown field is ignored, but refused if its name is close to a field that is not given: it was
// meant to change what happens.
func parseBody(raw []byte, v any, example string) error {
	if err := jsonv2.Unmarshal(raw, v); err != nil {
		return BadRequest("the body must be a JSON object like %s: %v", example, err)
	}
	return misspelt(raw, v)
}

// misspelt returns an error for a member of a body whose name is close to a field of v that is
// not given.
func misspelt(raw []byte, v any) error {
	of := reflect.TypeOf(v).Elem()
	if of.Kind() != reflect.Struct {
		return nil
	}
	open := fieldNames(of)
	var unknown []string
	for quoted := range jsonwalk.EachMember(raw) {
		name := jsonwalk.Text(quoted)
		if i := slices.Index(open, name); i >= 0 {
			open = slices.Delete(open, i, i+1)
		} else if !slices.Contains(routed, name) {
			unknown = append(unknown, name)
		}
	}
	for _, name := range unknown {
		if is := near(name, open); is != "" && !slices.Contains(fieldNames(of), name) {
			return BadRequest("the body has the unknown member '%.*s'; did you mean '%s'?", nameMost, name, is)
		}
	}
	return nil
}

// routed lists the parameters of paths and queries of operations with a body: over NATS they
// are members of the body.
var routed = []string{"agent", "consent_id", "format", "label", "name", "path", "seq", "service", "user"}

// fieldNames returns the names of a struct's fields in JSON, those of embedded structs included.
func fieldNames(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			names = append(names, fieldNames(field.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// notOneOf returns the error for a parameter outside a closed set.
func notOneOf[T ~string](name, value string, allowed []T) *RequestError {
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = fmt.Sprintf("%q", string(a))
	}
	return BadRequest("%s must be one of %s, but it is %.80q", name, strings.Join(quoted, ", "), value)
}
