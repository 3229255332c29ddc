package scope

import (
	"errors"
	"slices"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// App refuses, with permission_denied, an app that is not within every one of
// within.
func App(name string, within ...tool.Scopes) error {
	for _, s := range within {
		passes := func(entry string) bool {
			prefix, open := strings.CutSuffix(entry, "*")
			return checkApp(entry) == nil && (name == entry || open && strings.HasPrefix(name, prefix))
		}
		if len(s.Apps) > 0 && (name == "" || !slices.ContainsFunc(s.Apps, passes)) {
			return tool.Fail(tool.PermissionDenied, "Access denied: the app %s is outside what this call may use; allowed: %s",
				clip(name), allowed(s.Apps))
		}
	}
	return nil
}

func checkApp(entry string) error {
	if err := written(entry); err != nil {
		return err
	}
	if strings.Contains(strings.TrimSuffix(entry, "*"), "*") {
		return errors.New("it must be the name of an app, or the beginning of one and a * at its end")
	}
	return nil
}
