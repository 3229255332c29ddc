package dispatcher

import (
	"context"
	"strings"

	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/ports/netguard"
	"github.com/helve-dev/helve/internal/server/push"
)

// pushContact is the contact of an installation that has no public address: where its software
// comes from. Some push services refuse an address that nobody can reach.
const pushContact = "https://github.com/helve-dev/helve"

// openPush sends requests for consent to people's devices until life ends.
func openPush(life context.Context, p parts) (*push.Service, error) {
	guard, err := netguard.New(netguard.Options{Allow: p.cfg.HTTP.PushHosts})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(life, guard.Close)
	bucket, err := p.queue.Conn.Bucket(life, streams.BucketPush)
	if err != nil {
		return nil, err
	}
	contact := pushContact
	if strings.HasPrefix(p.cfg.HTTP.PublicURL, "https://") {
		contact = p.cfg.HTTP.PublicURL
	}
	s := push.New(push.Options{
		Queue: p.queue, Bucket: bucket, Keys: p.services.Store.Keys, HTTP: guard, Contact: contact, Metrics: p.metrics, Log: p.log,
	})
	return s, s.Serve(life)
}
