package identity

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/x/gopool"
)

// An issuer's keys are fetched again when they are renewAfter old, and a token waits
// for the answer when they are waitAfter old: a key revoked by the issuer is valid no
// longer than that. While the issuer does not answer, its keys are valid until they are
// dropAfter old.
const (
	renewAfter = 5 * time.Minute
	waitAfter  = 10 * time.Minute
	dropAfter  = 24 * time.Hour
	// pause is the minimum interval between two requests, however many tokens name
	// unknown keys.
	pause = 5 * time.Second
	// patience bounds one request.
	patience = 5 * time.Second
)

// issuer fetches and caches the keys of an OpenID Connect issuer.
type issuer struct {
	life context.Context
	url  string
	http *http.Client
	log  *zap.Logger
	now  func() time.Time

	mu     sync.Mutex
	set    keySet
	read   time.Time     // when set was read, zero for never
	asked  time.Time     // when the last question ended
	failed bool          // the last question had no answer
	asking chan struct{} // closed when the question under way has ended
}

// keys returns the keys by which a token with this key ID may be signed, at least one.
// Its error is a [*Failure].
func (i *issuer) keys(ctx context.Context, id string) (keySet, error) {
	found, answer := i.look(id)
	if answer != nil {
		select {
		case <-answer:
		case <-ctx.Done():
		}
		found = i.known(id)
	}
	if len(found) > 0 {
		return found, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.failed || i.asking != nil || i.read.IsZero() {
		return nil, unavailable("the issuer of the token cannot be asked for its keys right now; try again")
	}
	return nil, errToken()
}

// look returns the cached keys and, if waiting is worthwhile, the end of the request in
// progress, which it may have started.
func (i *issuer) look(id string) (found keySet, answer <-chan struct{}) {
	found = i.known(id)
	i.mu.Lock()
	defer i.mu.Unlock()
	age := i.now().Sub(i.read)
	if i.asking == nil && (len(found) == 0 || age >= renewAfter) && i.now().Sub(i.asked) >= pause {
		i.asking = make(chan struct{})
		gopool.Go(i.ask, nil)
	}
	if i.asking == nil || len(found) > 0 && age < waitAfter {
		return found, nil
	}
	return found, i.asking
}

func (i *issuer) known(id string) keySet {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now().Sub(i.read) >= dropAfter {
		return nil
	}
	return i.set.named(id)
}

// ask belongs to no single caller: several wait for it, and any of them may leave.
func (i *issuer) ask() {
	ctx, cancel := context.WithTimeout(i.life, patience)
	defer cancel()
	var set keySet
	err := gopool.Catch(func() (err error) {
		set, err = i.fetch(ctx)
		return err
	})
	if err != nil {
		i.log.Warn("the issuer's keys cannot be read", zap.String("issuer", i.url), zap.Error(err))
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked, i.failed = i.now(), err != nil
	if err == nil {
		i.set, i.read = set, i.now()
	}
	close(i.asking)
	i.asking = nil
}
