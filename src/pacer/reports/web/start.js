// Draw all, follow links without touching what the address keeps, and read the page anew where it is being watched.

drawAll();

document.querySelectorAll("nav a").forEach((link) =>
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(link.hash).scrollIntoView();
  }),
);

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's bars come and go
  width = innerWidth;
  drawAll();
});

const seconds = Number(document.documentElement.dataset.reload);
if (seconds) {
  const place = JSON.parse(sessionStorage.getItem("place") || "{}");
  for (const id of place.open || []) document.getElementById(id)?.setAttribute("open", "");
  if (place.top) scrollTo(0, place.top);
  setTimeout(() => {
    const open = [...document.querySelectorAll("details[open][id]")].map((details) => details.id);
    sessionStorage.setItem("place", JSON.stringify({ top: scrollY, open }));
    location.reload();
  }, 1000 * seconds);
}
