// Sends a file: its SHA-256 and its beginning to the page's server, the file itself to the landing bucket, then asks for
// the verdict. It writes texts of others as text alone.
"use strict";

(() => {
  const HEAD = 65536;
  const form = document.getElementById("send");
  const most = Number(form.dataset.most);
  const field = (name) => form.elements.namedItem(name);
  const status = document.getElementById("status");
  const bar = document.getElementById("progress");
  const results = document.getElementById("results");
  const button = form.querySelector("button");
  const zone = document.getElementById("zone");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  class Refused extends Error {
    constructor(text, problems) {
      super(text);
      this.problems = problems || [];
    }
  }

  function say(text, share) {
    status.textContent = text;
    bar.hidden = share === undefined;
    if (share !== undefined) bar.value = share;
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // Text in backticks is set as code.
  function words(name, text, className) {
    const made = element(name, "", className);
    text.split("`").forEach((part, n) => made.append(n % 2 ? element("code", part) : part));
    return made;
  }

  function show(problems) {
    const list = element("ul", "", "problems");
    for (const problem of problems) {
      const item = element("li", "", problem.level === "warning" ? "warn" : "bad");
      item.append(words("p", problem.message || problem.kind || "", "what"));
      if (problem.at || problem.place_in_file) item.append(element("p", problem.at || problem.place_in_file, "where"));
      if (problem.fix) {
        const fix = element("p", "", "how");
        fix.append(element("strong", problem.level === "warning" ? "To improve: " : "To fix: "), words("span", problem.fix));
        item.append(fix);
      }
      list.append(item);
    }
    if (problems.length) results.append(list);
  }

  function hex(buffer) {
    return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function base64(buffer) {
    let text = "";
    for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
    return btoa(text);
  }

  async function ask(address, body) {
    const how = body === undefined ? {} : {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body),
    };
    const answer = await fetch(address, {credentials: "same-origin", redirect: "error", ...how});
    const document_ = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      const problems = (document_.errors || []).filter((each) => each.message);
      throw new Refused(document_.detail || `The page answered ${answer.status}. Load it again.`, problems);
    }
    return document_;
  }

  function put(target, file) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", target.url);
      for (const [name, value] of Object.entries(target.headers)) {
        if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value); // browsers set it themselves
      }
      request.upload.onprogress = (event) => {
        if (event.lengthComputable) say(`Sending: ${Math.floor(100 * event.loaded / event.total)} %`, event.loaded / event.total);
      };
      request.onload = () => request.status === 200
        ? resolve(request.getResponseHeader("x-amz-version-id"))
        : reject(new Refused(`The bucket answered ${request.status}. Send the file again.`));
      request.onerror = () => reject(new Refused("The connection broke. Look into the list of files before you send it again."));
      request.send(file.slice(0, file.size, "")); // without a type
    });
  }

  async function verdict(key, version, trial) {
    const query = new URLSearchParams({key, version_id: version || "", trial});
    for (let tries = 0; tries < 600; tries += 1) {
      const drop = await ask(`/app/uploads?${query}`);
      if (drop.id) {
        say(`${drop.words}: ${drop.meaning}`);
        if (drop.is_done) return drop;
      }
      await pause(tries < 20 ? 1000 : 3000);
    }
    throw new Refused("The check takes long. Look into the list of files later.");
  }

  async function send(file, key, trial) {
    if (file.size > most) throw new Refused(`Browsers read at most ${most / 2 ** 20} MiB here: send this file with dropgate-client.`);
    say("Reading the file");
    const whole = await file.arrayBuffer();
    const sha256 = hex(await crypto.subtle.digest("SHA-256", whole));
    say("Checking name and beginning");
    const announced = await ask("/app/uploads", {key, size: file.size, sha256, head: base64(whole.slice(0, HEAD)), trial});
    show(announced.problems);
    say("Sending: 0 %", 0);
    const version = await put(announced.upload, file);
    say("Sent. Waiting for the check");
    const drop = await verdict(key, version, trial);
    results.replaceChildren(element("p", drop.words, `state ${drop.tone}`));
    show(drop.problems);
    const link = element("a", "Open the page of this file");
    link.href = `/app/drops/${drop.id}`;
    const place = element("p", "");
    place.append(link);
    results.append(place);
  }

  function propose() {
    const file = field("file").files[0];
    const folder = field("pattern").selectedOptions[0];
    if (file && folder) field("key").value = folder.dataset.folder + file.name;
  }

  function choose(files) {
    if (files.length) {
      field("file").files = files;
      propose();
    }
  }

  field("file").addEventListener("change", propose);
  field("pattern").addEventListener("change", propose);
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    choose(event.dataTransfer.files);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = field("file").files[0];
    if (!file) return;
    button.disabled = true;
    results.replaceChildren();
    try {
      await send(file, field("key").value, field("trial").checked);
    } catch (error) {
      const problems = (error.problems || []).map((each) => ({...each, level: "error"}));
      if (problems.length) say("Nothing was sent: this file would be rejected.");
      else say(error instanceof Refused ? error.message : "The page could not go on. Load it again.");
      show(problems);
    } finally {
      button.disabled = false;
    }
  });
  form.hidden = false;
})();
