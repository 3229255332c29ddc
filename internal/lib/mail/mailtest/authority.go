package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// Authority is a certificate authority of a test, with one certificate for this host.
type Authority struct {
	// PEM is the certificate of the authority, Cert and Key those of the host.
	PEM, Cert, Key string
	// Server are the settings of a server with the certificate.
	Server *tls.Config
}

// NewAuthority makes an authority. Its certificate is for the hosts that are named.
func NewAuthority(tb testing.TB, hosts ...string) *Authority {
	tb.Helper()
	root, rootKey := template(1, "The test's authority"), key(tb)
	root.IsCA, root.KeyUsage, root.BasicConstraintsValid = true, x509.KeyUsageCertSign, true
	rootDER := sign(tb, root, root, rootKey, rootKey)
	leaf, leafKey := template(2, "A mail server"), key(tb)
	leaf.KeyUsage, leaf.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, host)
		}
	}
	leafDER := sign(tb, leaf, root, leafKey, rootKey)
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		tb.Fatal(err)
	}
	a := &Authority{PEM: block("CERTIFICATE", rootDER), Cert: block("CERTIFICATE", leafDER), Key: block("PRIVATE KEY", keyDER)}
	pair, err := tls.X509KeyPair([]byte(a.Cert), []byte(a.Key))
	if err != nil {
		tb.Fatal(err)
	}
	a.Server = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return a
}

func template(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

func key(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func sign(tb testing.TB, cert, by *x509.Certificate, k, byKey *ecdsa.PrivateKey) []byte {
	tb.Helper()
	der, err := x509.CreateCertificate(rand.Reader, cert, by, &k.PublicKey, byKey)
	if err != nil {
		tb.Fatal(err)
	}
	return der
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
