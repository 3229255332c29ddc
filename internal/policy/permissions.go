package policy

import (
	"fmt"
	"slices"
	"strings"
)

// builtinPermissions are those that need no configuration: the permissions that the
// diagnostic tools and tools written by models may require.
var builtinPermissions = []string{"database", "debug.permission", "email", "filesystem", "network", "scheduling", "shell"}

// KnownPermissions refuses a permission that neither the platform nor the operator
// defines, because a person could not grant it knowingly.
func KnownPermissions(required, configured []string) error {
	for _, name := range required {
		if !slices.Contains(builtinPermissions, name) && !slices.Contains(configured, name) {
			return fmt.Errorf("permission %q is not known; add it to policy.permissions, or use one of %s",
				name, strings.Join(builtinPermissions, ", "))
		}
	}
	return nil
}
