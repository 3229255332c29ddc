// Command natsprevious is natsd with the previous minor version of the NATS server, for the
// test that replaces the servers of a cluster one by one. It is a module of its own, because a
// program has one version of a module only.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "HOST:PORT to listen on")
	dir := flag.String("dir", "", "directory of JetStream's files")
	routes := flag.String("routes", "", "HOST:PORT of each server of a cluster, this one first, parted by commas")
	monitor := flag.String("monitor", "", "HOST:PORT of the server's monitoring; none if empty")
	flag.Parse()
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	srv, err := start(*addr, *dir, *monitor, strings.Split(*routes, ","))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready nats=" + srv.ClientURL())
	<-ctx.Done()
	srv.LameDuckShutdown()
	srv.WaitForShutdown()
}

// start starts a server with the settings of internal/bus/embedded.
func start(addr, dir, monitor string, routes []string) (*server.Server, error) {
	host, port, err := hostPort(addr)
	if err != nil {
		return nil, err
	}
	clusterHost, clusterPort, err := hostPort(routes[0])
	if err != nil {
		return nil, err
	}
	conf := &server.Options{
		ServerName: "helve-" + strconv.Itoa(clusterPort), Host: host, Port: port,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: 1 << 40, MaxPayload: 8 << 20,
		NoSigs: true, NoSublistCache: true,
		LameDuckGracePeriod: time.Second, LameDuckDuration: 3 * time.Second,
		Cluster: server.ClusterOpts{Name: "helve", Host: clusterHost, Port: clusterPort, Advertise: net.JoinHostPort(clusterHost, "1")},
	}
	if monitor != "" {
		if conf.HTTPHost, conf.HTTPPort, err = hostPort(monitor); err != nil {
			return nil, err
		}
	}
	for _, route := range routes {
		conf.Routes = append(conf.Routes, &url.URL{Scheme: "nats", Host: route})
	}
	srv, err := server.NewServer(conf)
	if err != nil {
		return nil, err
	}
	srv.ConfigureLogger()
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		srv.Shutdown()
		return nil, fmt.Errorf("nats server %s is not ready", addr)
	}
	return srv, nil
}

func hostPort(addr string) (string, int, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.Atoi(port)
	return host, n, err
}
