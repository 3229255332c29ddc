package identity

import (
	"fmt"
	"net/http"
)

// Failure is why a caller is not let in. Its text is for the caller: it says
// what to do and holds nothing of the credential.
type Failure struct {
	// Status is 401 if there is no credential that counts, 403 if there is one
	// and it does not allow this, 503 if that cannot be found out now.
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
