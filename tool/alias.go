package tool

import (
	"fmt"
	"reflect"
	"strings"
)

// parameterAliases maps the names in the alias tags of t's fields to the parameter they
// are an alias of.
func parameterAliases(t reflect.Type) (map[string]string, error) {
	names := map[string]bool{}
	for _, f := range fields(t) {
		if name, _, skip := fieldName(f); !skip {
			names[name] = true
		}
	}
	aliases := map[string]string{}
	for _, f := range fields(t) {
		name, _, skip := fieldName(f)
		tag, has := f.Tag.Lookup("alias")
		if skip || !has {
			continue
		}
		for alias := range strings.SplitSeq(tag, ",") {
			if alias == "" || names[alias] || aliases[alias] != "" {
				return nil, fmt.Errorf("%s: alias %q is empty or taken", name, alias)
			}
			aliases[alias] = name
		}
	}
	return aliases, nil
}
