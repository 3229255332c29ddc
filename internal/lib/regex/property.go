package regex

import "strings"

// derivedProperties maps character properties that the engine lacks to the properties
// they consist of.
var derivedProperties = map[string]string{
	"alphabetic": `\p{L}\p{Nl}\p{Other_Alphabetic}`,
	"alpha":      `\p{L}\p{Nl}\p{Other_Alphabetic}`,
	"lowercase":  `\p{Ll}\p{Other_Lowercase}`,
	"lower":      `\p{Ll}\p{Other_Lowercase}`,
	"uppercase":  `\p{Lu}\p{Other_Uppercase}`,
	"upper":      `\p{Lu}\p{Other_Uppercase}`,
	"ascii":      `\x00-\x7f`,
	"any":        `\s\S`,
}

// propertyKinds lists the prefixes in JavaScript of the name of a script or a category.
var propertyKinds = map[string]bool{
	"script": true, "sc": true, "scriptextensions": true, "scx": true, "generalcategory": true, "gc": true,
}

// nameProperties rewrites character properties in a pattern, such as \p{Script=Greek}
// and \p{Alphabetic}, in the syntax of the engine. It reports whether there are any:
// such a pattern never means the letter p.
func nameProperties(pattern string) (named string, found bool) {
	if !strings.Contains(pattern, `\p`) && !strings.Contains(pattern, `\P`) {
		return pattern, false
	}
	var out strings.Builder
	for rest := pattern; rest != ""; {
		part := token(rest)
		if part[0] == '[' {
			set, some := nameSetProperties(part)
			out.WriteString(set)
			found = found || some
			rest = rest[len(part):]
			continue
		}
		property, size := readProperty(rest)
		if size == 0 {
			property, size = part, len(part)
		} else {
			found = true
		}
		if made := derivedProperty(property); made != "" {
			opened := "["
			if property[1] == 'P' {
				opened = "[^"
			}
			property = opened + made + "]"
		}
		out.WriteString(property)
		rest = rest[size:]
	}
	return out.String(), found
}

// nameSetProperties does the same within a set. The opposite of a property that
// consists of several has no form there; it is left unchanged, and the engine refuses
// it.
func nameSetProperties(set string) (named string, found bool) {
	var out strings.Builder
	for rest := set; rest != ""; {
		property, size := readProperty(rest)
		if size == 0 {
			size = 1
			if rest[0] == '\\' {
				size = len(token(rest))
			}
			property = rest[:size]
		} else {
			found = true
		}
		if made := derivedProperty(property); made != "" && property[1] == 'p' {
			property = made
		}
		out.WriteString(property)
		rest = rest[size:]
	}
	return out.String(), found
}

// readProperty parses the property at the start of a pattern, without its prefix; the
// size is 0 if there is none.
func readProperty(pattern string) (property string, size int) {
	if len(pattern) < 3 || pattern[0] != '\\' || pattern[1] != 'p' && pattern[1] != 'P' {
		return "", 0
	}
	if pattern[2] != '{' {
		if strings.IndexByte("CLMNPSZ", pattern[2]) < 0 {
			return "", 0
		}
		return pattern[:2] + "{" + pattern[2:3] + "}", 3
	}
	end := strings.IndexByte(pattern, '}')
	if end < 0 {
		return "", 0
	}
	name := pattern[3:end]
	if kind, value, found := strings.Cut(name, "="); found && propertyKinds[plainProperty(kind)] {
		name = value
	}
	return pattern[:2] + "{" + name + "}", end + 1
}

func derivedProperty(property string) string {
	if len(property) < 4 || property[0] != '\\' || property[2] != '{' {
		return ""
	}
	return derivedProperties[plainProperty(property[3:len(property)-1])]
}

// plainProperty returns a name in the form used for lookup: without case and
// separators.
func plainProperty(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}
