package customdata

import (
	"regexp"
	"strings"

	"github.com/helve-dev/helve/tool"
)

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)

const nameRule = "use a letter, then letters a to z, digits and _, at most 63 characters, such as reading_list; displayName may be any text"

// checkName refuses a name that no table and no column may have. What is the parameter.
func checkName(what, name string) error {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return tool.Fail(tool.ValidationError, "%s is missing or blank: %s", what, nameRule)
	case lower == "id", lower == "_createdat", lower == "_updatedat":
		return tool.Fail(tool.ValidationError,
			"%s: the name %q is reserved, because each record has a field of that name; choose another one, such as my_id", what, name)
	case strings.HasPrefix(lower, "sqlite_"), strings.HasPrefix(lower, "pg_"):
		return tool.Fail(tool.ValidationError,
			"%s: the name %.80q is reserved, because databases use names that begin with sqlite_ and pg_; choose another one, such as my_%.20s",
			what, name, name[strings.Index(name, "_")+1:])
	case !nameForm.MatchString(name):
		return tool.Fail(tool.ValidationError, "%s: %.80q cannot be a name: %s", what, name, nameRule)
	}
	return nil
}

// displayOf returns a title for a name: reading_list is "Reading list".
func displayOf(name string) string {
	words := strings.Join(strings.Fields(strings.ReplaceAll(name, "_", " ")), " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// maxDisplay and maxDescription bound texts of tables and columns, in bytes.
const (
	maxDisplay     = 200
	maxDescription = 2000
)

// display returns a display name, or that of a name if it is blank.
func display(what, given, name string) (string, error) {
	given = strings.TrimSpace(given)
	if given == "" {
		return displayOf(name), nil
	}
	return given, checkText(what, given, maxDisplay)
}

func checkText(what, text string, most int) error {
	if len(text) > most {
		return tool.Fail(tool.ValidationError, "%s is %d bytes long, and at most %d are allowed", what, len(text), most)
	}
	if strings.ContainsRune(text, 0) {
		return tool.Fail(tool.ValidationError, "%s holds the character NUL, which cannot be stored; leave it out", what)
	}
	return nil
}
