package embedded

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// clusterName is that of a cluster of embedded servers.
const clusterName = "helve"

// leaveGrace and leaveWithin are the times of a server that leaves where [Options] give none.
const leaveGrace, leaveWithin = time.Second, 3 * time.Second

// join makes conf that of a server in a cluster, if there are routes.
func (o Options) join(conf *server.Options) error {
	if len(o.Routes) == 0 {
		return nil
	}
	host, portText, err := net.SplitHostPort(o.Routes[0])
	if err != nil {
		return fmt.Errorf("nats route %q: %w", o.Routes[0], err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return fmt.Errorf("nats route %q: port is not a number", o.Routes[0])
	}
	conf.LameDuckGracePeriod, conf.LameDuckDuration = cmp.Or(o.LeaveGrace, leaveGrace), cmp.Or(o.LeaveWithin, leaveWithin)
	conf.ServerName = cmp.Or(o.Name, "helve-"+portText)
	// Each server has the routes to all others. It advertises an address where nothing
	// listens, because a learned route would bypass a link between two of them.
	conf.Cluster = server.ClusterOpts{Name: clusterName, Host: host, Port: port, Advertise: net.JoinHostPort(host, "1")}
	for _, route := range slices.Sorted(slices.Values(o.Routes)) {
		conf.Routes = append(conf.Routes, &url.URL{Scheme: "nats", Host: route})
	}
	return nil
}

// monitor makes conf that of a server with monitoring, if there is an address for it.
func (o Options) monitor(conf *server.Options) error {
	if o.Monitor == "" {
		return nil
	}
	host, portText, err := net.SplitHostPort(o.Monitor)
	if err != nil {
		return fmt.Errorf("nats monitoring address %q: %w", o.Monitor, err)
	}
	if conf.HTTPPort, err = strconv.Atoi(portText); err != nil {
		return fmt.Errorf("nats monitoring address %q: port is not a number", o.Monitor)
	}
	conf.HTTPHost = host
	return nil
}
