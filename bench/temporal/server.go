package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	// namespace is the namespace of the jobs.
	namespace = "default"
	// walEnv is the variable that has SQLite write as NATS does: what a killed process wrote is there,
	// and what was written in the last moments before a power failure may be lost.
	walEnv = "BENCH_TEMPORAL_WAL"
)

// serve runs Temporal's server in this process until a signal, with its state in a SQLite file of
// dir: the configuration of `temporal server start-dev --db-filename`, without the page for people.
func serve(dir, addr string) error {
	conf, err := serverConfig(dir, addr)
	if err != nil {
		return err
	}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range conf.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(fmt.Sprintf("127.0.0.1:%d", service.RPC.GRPCPort))
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(conf), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "error", OutputFile: filepath.Join(dir, "server.log")}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.HistoryCacheHostLevelMaxSize.Key():                 8096,
			dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,
		}),
	)
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	return s.Stop()
}

func serverConfig(dir, addr string) (*config.Config, error) {
	front, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	store := config.SQL{
		PluginName: sqlite.PluginName, DatabaseName: filepath.Join(dir, "temporal.db"), ConnectAttributes: map[string]string{"mode": "rwc"},
	}
	if os.Getenv(walEnv) != "" {
		store.ConnectAttributes["journal_mode"], store.ConnectAttributes["synchronous"] = "wal", "normal"
	}
	if _, err := os.Stat(store.DatabaseName); os.IsNotExist(err) {
		if err := sqliteschema.SetupSchema(&store); err != nil {
			return nil, err
		}
	}
	jobs, err := sqliteschema.NewNamespaceConfig("active", namespace, false, nil)
	if err != nil {
		return nil, err
	}
	if err := sqliteschema.CreateNamespaces(&store, jobs); err != nil {
		return nil, err
	}
	conf := &config.Config{}
	conf.Global.Membership.MaxJoinDuration = 30 * time.Second
	conf.Global.Membership.BroadcastAddress = front.IP.String()
	conf.Persistence = config.Persistence{
		DefaultStore: "sqlite", VisibilityStore: "sqlite", NumHistoryShards: 1,
		DataStores: map[string]config.DataStore{"sqlite": {SQL: &store}},
	}
	conf.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
		ClusterInformation: map[string]cluster.ClusterInformation{
			"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: addr},
		},
	}
	conf.DCRedirectionPolicy.Policy = "noop"
	conf.Archival.History.State, conf.Archival.Visibility.State = "disabled", "disabled"
	conf.NamespaceDefaults.Archival.History.State, conf.NamespaceDefaults.Archival.Visibility.State = "disabled", "disabled"
	conf.PublicClient.HostPort = addr
	conf.Services = map[string]config.Service{}
	for _, name := range []string{"frontend", "history", "matching", "worker"} {
		port := front.Port
		if name != "frontend" {
			if port, err = freePort(); err != nil {
				return nil, err
			}
		}
		conf.Services[name] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: front.IP.String()}}
	}
	return conf, nil
}

// freePort returns a port of the loopback interface that nothing listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
