package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// decode stores raw, a value from YAML or a flag, in the field at ptr. It accepts text
// for every type, because the environment has only text.
func decode(ptr, raw any) error {
	text, isText := raw.(string)
	switch p := ptr.(type) {
	case *string:
		if !isText {
			return fmt.Errorf("is %s; want text, in quotes if need be", kind(raw))
		}
		*p = text
	case *bool:
		return decodeInto(p, raw, text, strconv.ParseBool, "true or false")
	case *int:
		return decodeInto(p, raw, text, strconv.Atoi, "a whole number")
	case *float64:
		if n, ok := raw.(int); ok {
			raw = float64(n)
		}
		parse := func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
		return decodeInto(p, raw, text, parse, "a number")
	case *time.Duration:
		return decodeInto(p, raw, text, time.ParseDuration, `a duration such as "500ms", "2s" or "24h"`)
	case *Bytes:
		if n, ok := raw.(int); ok {
			raw = Bytes(n)
		}
		return decodeInto(p, raw, text, ParseBytes, "bytes, or a number with KiB, MiB, GiB or TiB")
	case *[]string:
		list, err := decodeList(raw)
		if err != nil {
			return err
		}
		*p = list
	default:
		return fmt.Errorf("is of a type nobody reads (%T)", ptr)
	}
	return nil
}

func decodeInto[T any](p *T, raw any, text string, parse func(string) (T, error), want string) error {
	if v, ok := raw.(T); ok {
		*p = v
		return nil
	}
	if _, ok := raw.(string); !ok {
		return fmt.Errorf("is %s; want %s", kind(raw), want)
	}
	v, err := parse(text)
	if err != nil {
		return fmt.Errorf("is %s; want %s", show(text), want)
	}
	*p = v
	return nil
}

func decodeList(raw any) ([]string, error) {
	list := []string{}
	switch raw := raw.(type) {
	case []string:
		return append(list, raw...), nil
	case string:
		if strings.TrimSpace(raw) == "" {
			return list, nil
		}
		for item := range strings.SplitSeq(raw, ",") {
			list = append(list, strings.TrimSpace(item))
		}
		return list, nil
	case []any:
		for i, item := range raw {
			text, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("has %s as item %d; want a list of text, in quotes if need be", kind(item), i+1)
			}
			list = append(list, text)
		}
		return list, nil
	}
	return nil, errors.New("is " + kind(raw) + "; want a list")
}

// kind names the type of a YAML value in terms that an operator knows.
func kind(raw any) string {
	switch raw := raw.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return strconv.FormatBool(raw)
	case int, int64, uint64, float64:
		return fmt.Sprintf("the number %v", raw)
	case []any, []string:
		return "a list"
	case map[string]any:
		return "a section"
	default:
		return fmt.Sprintf("a %T", raw)
	}
}
