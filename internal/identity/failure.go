package identity

import (
	"fmt"
	"net/http"
)

// Failure is the reason why a caller is refused. Its text is for the caller: it
// contains the remedy and nothing of the credential.
type Failure struct {
	// Status is 401 if there is no valid credential, 403 if there is one without the
	// right, 503 if that cannot be determined now.
	Status int
	Msg    string
}

// Error returns the sentence for the caller.
func (f *Failure) Error() string { return f.Msg }

func unauthenticated(format string, args ...any) error {
	return &Failure{http.StatusUnauthorized, fmt.Sprintf(format, args...)}
}

func forbidden(format string, args ...any) error {
	return &Failure{http.StatusForbidden, fmt.Sprintf(format, args...)}
}

func unavailable(format string, args ...any) error {
	return &Failure{http.StatusServiceUnavailable, fmt.Sprintf(format, args...)}
}
