//! Whose word is taken for a provider's certificate, by the program as it is run: the platform's, which
//! `SSL_CERT_FILE` names, and one more root where the operator names it.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use tokio::net::TcpStream;

use super::identity::Identity;
use super::rig::{OK, Provider, Socket, get, value};

/// The program; it goes when this goes.
struct Program {
    child: Child,
    address: String,
    /// Kept, so that it can go on writing its log.
    _told: Lines<BufReader<ChildStderr>>,
}

/// A folder of its own that goes when the test ends.
struct Folder(PathBuf);

impl Program {
    fn serve(config: &Path, roots: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_remand"))
            .args(["serve", "--config"])
            .arg(config)
            .env_remove("REMAND_LOG")
            .env_remove("SSL_CERT_DIR")
            .env("SSL_CERT_FILE", roots)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = told.find_map(|line| line.ok().filter(|line| line.contains("http://"))).unwrap();
        let address = line.split("http://").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        Self { child, address, _told: told }
    }

    async fn ask(&self) -> Socket {
        let mut agent = Socket::over(TcpStream::connect(&self.address).await.unwrap());
        agent.write(&get("/v1/models")).await;
        agent
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("remand-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

#[tokio::test]
async fn the_platforms_roots_and_the_operators_are_trusted_and_no_others() {
    let (identity, other) = (Identity::new(), Identity::new());
    let folder = Folder::new("trust");
    let ours = folder.file("ours.pem", &identity.cert);
    let others = folder.file("others.pem", &other.cert);
    for (what, roots, extra, trusted) in [
        ("the platform's", &ours, None, true),
        ("the operator's beside the platform's", &others, Some("ours.pem"), true),
        ("the platform's beside the operator's", &ours, Some("others.pem"), true),
        ("nobody's", &others, None, false),
    ] {
        let provider = Provider::listen().await;
        let host = format!("localhost:{}", provider.address().port());
        let extra = extra.map_or_else(String::new, |file| format!("ca = \"{file}\"\n"));
        let config = format!(
            "[listen]\naddress = \"127.0.0.1:0\"\n[[upstream]]\nname = \"p\"\nbase_url = \"https://{host}/v1\"\n{extra}"
        );
        let program = Program::serve(&folder.file("remand.toml", &config), roots);
        let mut agent = program.ask().await;
        let accepted = identity.accept(&provider, &["h2", "http/1.1"]).await;
        if !trusted {
            assert!(accepted.is_err(), "{what}");
            let (head, body) = agent.answer().await;
            assert!(
                head.starts_with("http/1.1 502 ") && body.contains("certificate"),
                "{what}: {head}{body}"
            );
            continue;
        }
        let stream = accepted.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(stream.get_ref().1.server_name(), Some("localhost"), "{what}");
        let mut request = Socket::over(stream);
        assert_eq!(value(&request.head().await, "host"), Some(host.as_str()), "{what}");
        request.write(OK).await;
        assert_eq!(agent.answer().await.1, "ok", "{what}");
    }
}
