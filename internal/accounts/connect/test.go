package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/helve-dev/helve/internal/accounts/services"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// testRegistration reads the metadata of a provider, if there is any to read.
func (s *Service) testRegistration(ctx context.Context, reg *services.Registration) protocol.ServiceTested {
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return protocol.ServiceTested{Message: message(err)}
	}
	defer end()
	if s.Public == "" {
		return protocol.ServiceTested{Message: message(noPage())}
	}
	return protocol.ServiceTested{OK: true, Message: fmt.Sprintf(
		"Helve is registered at %s (%s), to which people are sent; the address to enter there for answers is %s. "+
			"An account is tested with its user",
		p.Title, p.Authorization, s.callback(),
	)}
}

// testAccount makes a request with the token of an account, which was replaced if need be.
// The body of the answer is not read.
func (s *Service) testAccount(ctx context.Context, w who, reg *services.Registration) (protocol.ServiceTested, error) {
	if _, err := s.current(ctx, w, ""); err != nil {
		if m := tool.MissingAccount(err); m != nil && m.Reason == "" {
			return protocol.ServiceTested{}, tool.Fail(tool.NotFound,
				"there is no entry %s of the service %s for %s; it is connected with helve config connect %s --user %s",
				services.DefaultLabel, w.service, w.user, w.service, w.user)
		}
		return protocol.ServiceTested{Message: message(err)}, nil
	}
	have, err := s.read(ctx, w)
	if err != nil {
		return protocol.ServiceTested{Message: message(err)}, nil
	}
	p, end, err := s.provider(ctx, reg)
	if err != nil {
		return protocol.ServiceTested{Message: message(err)}, nil
	}
	defer end()
	address := cmp.Or(p.UserInfo, reg.Values[services.FieldBaseURL])
	if address == "" {
		until := "without an end that the provider has named"
		if !have.account.Expires.IsZero() {
			until = "until " + have.account.Expires.UTC().Format(time.RFC3339)
		}
		return protocol.ServiceTested{
			OK:      true,
			Message: fmt.Sprintf("the token of %s is valid %s; there is no address to try it at (userinfo_url or base_url)", reg.Title, until),
		}, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return protocol.ServiceTested{Message: "the address to test the account at cannot be used"}, nil
	}
	req.Header.Set("Authorization", "Bearer "+have.account.Access)
	req.Header.Set("User-Agent", "Helve")
	resp, err := p.HTTP.Do(req)
	if err != nil {
		return protocol.ServiceTested{Message: message(err)}, nil
	}
	_ = resp.Body.Close() // nothing of it is read
	return services.Tested(req.URL.Host, resp.StatusCode), nil
}

// message returns an error as a sentence for people.
func message(err error) string {
	if m := tool.MissingAccount(err); m != nil {
		return m.Error()
	}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		return e.Msg
	}
	return "the account is not available now; try again"
}
