package peer

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

const (
	// dispatchersWindow is the time in which answers are read. The number of dispatchers is
	// not known, so it always passes.
	dispatchersWindow = 500 * time.Millisecond
	// dispatchersMost bounds the answers that are read.
	dispatchersMost = 1000
	// versionKey is the key of a dispatcher's version in the metadata of its service; the
	// version of the service itself must be a semantic one.
	versionKey = "version"
)

// Dispatchers returns the versions of the dispatchers that answer in time, by the id of their
// service.
func (b *API) Dispatchers(ctx context.Context) (map[string]string, error) {
	answers, end := make(chan *nats.Msg, dispatchersMost), make(chan struct{})
	reply := b.conn.Replies().ExpectMany(time.Now().Add(dispatchersWindow), func(msg *nats.Msg) {
		if msg == nil {
			close(end)
			return
		}
		select {
		case answers <- msg:
		default:
		}
	})
	defer b.conn.Replies().Drop(reply, func() {})
	if err := b.conn.NATS().PublishMsg(&nats.Msg{Subject: "$SRV.INFO." + ServiceName, Reply: reply}); err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for len(versions) < dispatchersMost {
		select {
		case msg := <-answers:
			var info micro.Info
			if json.Unmarshal(msg.Data, &info) == nil && info.ID != "" {
				versions[info.ID] = cmp.Or(info.Metadata[versionKey], info.Version)
			}
		case <-end:
			return versions, nil
		case <-ctx.Done():
			return versions, ctx.Err()
		}
	}
	return versions, nil
}
