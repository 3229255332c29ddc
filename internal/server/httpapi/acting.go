package httpapi

import (
	"cmp"
	"net/http"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

// actingHeader names the person whom a page shows as signed in, empty for a credential that names
// nobody. All tabs of a browser share the cookie of a session: a tab that still shows ann would
// otherwise act as sam, who has signed in with another one since.
const actingHeader = "Helve-Acting-As"

// acting refuses a request of a page that shows another person, or the same name of another
// tenant, than the credential is of.
func acting(r *http.Request, by identity.Principal) error {
	shown := r.Header.Values(actingHeader)
	if len(shown) == 0 || by.Open {
		return nil
	}
	tenant := r.Header.Get("Helve-Tenant")
	if len(shown) == 1 && shown[0] == by.User && (tenant == "" || tenant == by.Tenant) {
		return nil
	}
	now := cmp.Or(by.User, by.Name)
	err := api.Conflict("you are signed in as %s of the tenant %s now, and this page still shows %.80q, so nothing was done: "+
		"load the page again", now, by.Tenant, shown[0])
	err.SignedInAs = &now
	return err
}
