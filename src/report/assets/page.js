/* Sort and filter the table of cells; say under a plot what trial a dot is.  The page reads well without any of it. */
"use strict";
(function () {
    document.documentElement.classList.add("js");
    const data = JSON.parse(document.getElementById("data").textContent);
    const table = document.getElementById("cells");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const selects = Array.from(document.querySelectorAll("form.filters select[data-axis]"));
    const order = document.getElementById("order");
    const status = document.getElementById("shown");
    const tip = document.getElementById("tip");

    rows.forEach(function (row, i) { row.dataset.i = i; });

    /* ---- filters ---- */
    function filter() {
        let shown = 0;
        rows.forEach(function (row) {
            const out = selects.some(function (s) { return s.value !== "" && row.dataset[s.dataset.axis] !== s.value; });
            row.classList.toggle("out", out);
            shown += out ? 0 : 1;
        });
        status.textContent = "Showing " + shown + " of " + rows.length + " cells";
    }
    selects.forEach(function (s) { s.addEventListener("change", filter); });
    document.getElementById("reset").addEventListener("click", function () {
        selects.forEach(function (s) { s.value = ""; });
        filter();
        sort("i", 1);
    });

    /* ---- sorting ---- */
    function key(row, name) {
        const text = row.dataset[name];
        if (text === undefined || text === "") return NaN;
        return Number(text);
    }
    /* Cells without a figure come last whichever way; equal ones keep the order of the file. */
    function sort(name, direction) {
        const sorted = rows.slice().sort(function (a, b) {
            const x = key(a, name), y = key(b, name);
            if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || key(a, "i") - key(b, "i");
            return direction * (x - y) || key(a, "i") - key(b, "i");
        });
        const fragment = document.createDocumentFragment();
        sorted.forEach(function (row) { fragment.appendChild(row); });
        body.appendChild(fragment);
        table.querySelectorAll("th[data-sort]").forEach(function (th) {
            if (th.dataset.sort === name) th.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
            else th.removeAttribute("aria-sort");
        });
        order.value = Array.from(order.options).some(function (o) { return o.value === name + " " + direction; }) ? name + " " + direction : "";
    }
    table.querySelectorAll("th[data-sort] button").forEach(function (button) {
        button.addEventListener("click", function () {
            const th = button.closest("th");
            const first = Number(th.dataset.first);
            const now = th.getAttribute("aria-sort");
            sort(th.dataset.sort, now === null ? first : now === "ascending" ? -1 : 1);
        });
    });
    order.addEventListener("change", function () {
        const parts = (order.value || "i 1").split(" ");
        sort(parts[0], Number(parts[1]));
    });

    /* ---- trials under the pointer, or by arrow keys ---- */
    const si = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
    function digits(v) { return v >= 99.95 ? v.toFixed(0) : v >= 9.995 ? v.toFixed(1) : v.toFixed(2); }
    function format(figure, measure) {
        if (measure === "s") {
            const u = figure >= 1 ? [1, "s"] : figure >= 1e-3 ? [1e-3, "ms"] : figure >= 1e-6 ? [1e-6, "\u00b5s"] : [1e-9, "ns"];
            return digits(figure / u[0]) + " " + u[1];
        }
        const u = si.find(function (s) { return figure >= s[0]; }) || [1, ""];
        return digits(figure / u[0]) + " " + u[1] + (measure === "bytes/s" ? "B/s" : "/s");
    }
    function place(cell, figure) {
        const p = cell.log ? Math.log(figure / cell.low) / Math.log(cell.high / cell.low) : (figure - cell.low) / (cell.high - cell.low);
        return Math.min(Math.max(p, 0), 1);
    }
    function cellOf(plot) {
        const c = data.cells[Number(plot.closest("tr").dataset.cell)];
        const axis = data.axes[c.a];
        return { trials: c.t, low: axis[0], high: axis[1], log: axis[2], measure: axis[3] };
    }
    function mark(plot, cell, index) {
        let at = plot.querySelector(".at");
        if (!at) {
            at = document.createElementNS("http://www.w3.org/2000/svg", "line");
            at.setAttribute("class", "at");
            at.setAttribute("y1", "1");
            at.setAttribute("y2", "25");
            plot.appendChild(at);
        }
        const x = place(cell, cell.trials[index]) * 240;
        at.setAttribute("x1", x);
        at.setAttribute("x2", x);
        const box = plot.getBoundingClientRect();
        tip.textContent = "trial " + (index + 1) + " of " + cell.trials.length + ": " + format(cell.trials[index], cell.measure);
        tip.style.display = "block";
        const left = box.left + x / 240 * box.width - tip.offsetWidth / 2;
        tip.style.left = Math.min(Math.max(left, 4), document.documentElement.clientWidth - tip.offsetWidth - 4) + "px";
        tip.style.top = (box.top > 40 ? box.top - tip.offsetHeight - 2 : box.bottom + 2) + "px";
        plot.dataset.at = index;
    }
    function leave(plot) {
        const at = plot.querySelector(".at");
        if (at) at.remove();
        delete plot.dataset.at;
        tip.style.display = "none";
    }
    function step(plot, by) {
        const cell = cellOf(plot);
        let index = plot.dataset.at === undefined ? (by > 0 ? -1 : cell.trials.length) : Number(plot.dataset.at);
        for (index += by; index >= 0 && index < cell.trials.length; index += by) {
            if (cell.trials[index] !== null) return mark(plot, cell, index);
        }
    }
    body.addEventListener("pointermove", function (event) {
        const plot = event.target.closest && event.target.closest(".plot");
        if (!plot) return;
        const cell = cellOf(plot), box = plot.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width;
        let best = -1, gap = Infinity;
        cell.trials.forEach(function (figure, i) {
            const d = figure === null ? Infinity : Math.abs(place(cell, figure) - x);
            if (d < gap) { gap = d; best = i; }
        });
        if (best >= 0) mark(plot, cell, best);
    });
    body.addEventListener("pointerout", function (event) {
        const plot = event.target.closest && event.target.closest(".plot");
        if (plot && !plot.contains(event.relatedTarget)) leave(plot);
    });
    body.addEventListener("focusout", function (event) {
        if (event.target.matches && event.target.matches(".plot")) leave(event.target);
    });
    body.addEventListener("keydown", function (event) {
        const plot = event.target.closest && event.target.closest(".plot");
        if (!plot) return;
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (by) {
            event.preventDefault();
            step(plot, by);
        } else if (event.key === "Escape") {
            leave(plot);
        }
    });
    filter();
})();
